// The acquire orders the plain load behind it.
llvm.func @main(%p: !llvm.ptr, %q: !llvm.ptr) -> i32 {
  %a = llvm.load %p atomic acquire {alignment = 4 : i64} : !llvm.ptr -> i32 loc("DEBUG|5|m")
  %b = llvm.load %q : !llvm.ptr -> i32 loc("DEBUG|1|m")
  %c = llvm.sub %a, %b : i32
  llvm.return %c : i32
}
