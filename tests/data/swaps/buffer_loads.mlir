// #1 may pass #2: bit 31 of the last operand is clear, so they are not volatile
llvm.func @main(%r: !llvm.ptr<8>, %o: i32) -> i32 {
  %aux = llvm.mlir.constant(3 : i32) : i32 loc("DEBUG|0|m")
  %a = rocdl.raw.ptr.buffer.load %r, %o, %o, %aux : i32 loc("DEBUG|2|m")
  %b = rocdl.raw.ptr.buffer.load %r, %o, %o, %aux : i32 loc("DEBUG|1|m")
  %d = llvm.sub %a, %b : i32 loc("DEBUG|3|m")
  llvm.return %d : i32
}
