// The shuffle reads what other lanes hold, and these may have ended behind the region.
gpu.module @k {
  llvm.func @main(%v: f32, %o: i32, %w: i32, %c: i1, %p: !llvm.ptr<1>) {
    %s, %ok = gpu.shuffle xor %v, %o, %w : f32 loc("DEBUG|5|m")
    scf.if %c {
      nvvm.exit
    } loc("DEBUG|1|m")
    llvm.store %s, %p : f32, !llvm.ptr<1>
    llvm.return
  }
}
