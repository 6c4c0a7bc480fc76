// The index is out of bounds where the selection ends the invocation, and that is undefined.
spirv.func @main(%a: !spirv.ptr<!spirv.array<4 x f32>, Function>, %i: i32, %c: i1) -> f32 "None" {
  spirv.mlir.selection {
    spirv.BranchConditional %c, ^kill, ^merge
  ^kill:
    spirv.Kill
  ^merge:
    spirv.mlir.merge
  } loc("DEBUG|5|m")
  %p = spirv.AccessChain %a[%i] : !spirv.ptr<!spirv.array<4 x f32>, Function>, i32 -> !spirv.ptr<f32, Function> loc("DEBUG|1|m")
  %x = spirv.Load "Function" %p : f32 loc("DEBUG|6|m")
  spirv.ReturnValue %x : f32
}
