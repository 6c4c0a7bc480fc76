llvm.func @fesetround(i32) -> i32
llvm.func @main(%x: f64, %m: i32) -> f32 {
    %y = "llvm.intr.experimental.constrained.fptrunc"(%x) <{fpExceptionBehavior = 2 : i64, roundingmode = 7 : i64}> : (f64) -> f32 loc("DEBUG|5|m")
    %r = llvm.call @fesetround(%m) : (i32) -> i32 loc("DEBUG|1|m")
    llvm.return %y : f32
}
