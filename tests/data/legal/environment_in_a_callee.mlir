// A callee that converts in the dynamic rounding mode may raise flags, or trap, as the other conversion may.
llvm.func @narrow(%x: f64) -> f32 {
    %y = llvm.intr.experimental.constrained.fptrunc %x dynamic strict : f64 to f32
    llvm.return %y : f32
}
llvm.func @main(%x: f64) -> f32 {
    %a = llvm.call @narrow(%x) : (f64) -> f32 loc("DEBUG|5|m")
    %b = llvm.intr.experimental.constrained.fptrunc %x dynamic strict : f64 to f32 loc("DEBUG|1|m")
    llvm.return %b : f32
}
