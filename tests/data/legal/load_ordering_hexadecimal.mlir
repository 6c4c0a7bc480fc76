// The ordering 0x4 is acquire, so the second load stays behind the first.
llvm.func @main(%p: !llvm.ptr, %q: !llvm.ptr) -> i32 {
  %a = "llvm.load"(%p) <{alignment = 4 : i64, ordering = 0x4 : i64}> : (!llvm.ptr) -> i32 loc("DEBUG|5|m")
  %b = "llvm.load"(%q) <{ordering = 0 : i64}> : (!llvm.ptr) -> i32 loc("DEBUG|1|m")
  llvm.return %b : i32
}
