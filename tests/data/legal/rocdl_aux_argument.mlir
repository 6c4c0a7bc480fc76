// The caller may set bit 31 of the last operand, which makes both loads volatile.
llvm.func @main(%r: !llvm.ptr<8>, %o: i32, %s: i32, %aux: i32) -> i32 {
  %a = "rocdl.raw.ptr.buffer.load"(%r, %o, %s, %aux) : (!llvm.ptr<8>, i32, i32, i32) -> i32 loc("DEBUG|5|m")
  %b = "rocdl.raw.ptr.buffer.load"(%r, %o, %s, %aux) : (!llvm.ptr<8>, i32, i32, i32) -> i32 loc("DEBUG|1|m")
  %d = llvm.sub %a, %b : i32
  llvm.return %d : i32
}
