// Bit 31 of the last operand makes a load volatile, and volatile loads keep their order.
llvm.func @main(%r: !llvm.ptr<8>, %o: i32, %s: i32) -> i32 {
  %aux = llvm.mlir.constant(-2147483648 : i32) : i32 loc("DEBUG|0|m")
  %a = rocdl.raw.ptr.buffer.load %r, %o, %s, %aux : i32 loc("DEBUG|5|m")
  %b = rocdl.raw.ptr.buffer.load %r, %o, %s, %aux : i32 loc("DEBUG|1|m")
  %d = llvm.sub %a, %b : i32
  llvm.return %d : i32
}
