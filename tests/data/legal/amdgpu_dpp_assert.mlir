// The op reads what another lane holds, and the assertion may have ended that.
gpu.module @k {
  gpu.func @main(%v: f32, %c: i1, %p: memref<f32>) kernel {
    %s = amdgpu.dpp %v %v row_shl(1 : i32) : f32 loc("DEBUG|5|m")
    cf.assert %c, "some lane ends here" loc("DEBUG|1|m")
    memref.store %s, %p[] : memref<f32>
    gpu.return
  }
}
