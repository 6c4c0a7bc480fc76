// All lanes of the warp multiply together, and none of them may have ended.
gpu.module @k {
  gpu.func @main(%a: vector<2x2xf16>, %b: vector<1x2xf16>, %d: vector<2x2xf16>, %c: i1) kernel {
    %s = nvgpu.mma.sync(%a, %b, %d) {mmaShape = [16, 8, 8]} : (vector<2x2xf16>, vector<1x2xf16>, vector<2x2xf16>) -> vector<2x2xf16> loc("DEBUG|5|m")
    scf.if %c {
      nvvm.exit
    } loc("DEBUG|1|m")
    gpu.return
  }
}
