// The invocations that were killed take no part in the shuffle.
spirv.module Logical GLSL450 {
  spirv.func @main(%v: f32, %i: i32, %c: i1) -> f32 "None" {
    %s = spirv.GroupNonUniformShuffle <Subgroup> %v, %i : f32, i32 loc("DEBUG|5|m")
    spirv.mlir.selection {
      spirv.BranchConditional %c, ^bb1, ^bb2
    ^bb1:
      spirv.Kill
    ^bb2:
      spirv.mlir.merge
    } loc("DEBUG|1|m")
    spirv.ReturnValue %s : f32
  }
}
