// The same in generic assembly, where the ordering is a number.
llvm.func @main(%p: !llvm.ptr, %q: !llvm.ptr) -> i32 {
  %a = "llvm.load"(%p) <{alignment = 4 : i64, ordering = 4 : i64}> : (!llvm.ptr) -> i32 loc("DEBUG|5|m")
  %b = "llvm.load"(%q) <{ordering = 0 : i64}> : (!llvm.ptr) -> i32 loc("DEBUG|1|m")
  %c = llvm.sub %a, %b : i32
  llvm.return %c : i32
}
