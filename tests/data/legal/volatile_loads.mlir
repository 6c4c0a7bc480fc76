// Volatile accesses keep their order.
llvm.func @main(%p: !llvm.ptr, %q: !llvm.ptr) -> i32 {
  %a = llvm.load volatile %p : !llvm.ptr -> i32 loc("DEBUG|5|m")
  %b = llvm.load volatile %q : !llvm.ptr -> i32 loc("DEBUG|1|m")
  %c = llvm.sub %a, %b : i32
  llvm.return %c : i32
}
