// mlir-opt func.func(control-flow-sink)
// Computed for both branches, needed in one.
func.func @choose(%x: f32, %y: f32, %c: i1) -> f32 {
  %late = math.exp %x : f32
  %twice = arith.addf %late, %late : f32
  %other = math.sqrt %y : f32
  %r = scf.if %c -> (f32) {
    %sum = arith.addf %y, %x : f32
    %v = arith.mulf %sum, %twice : f32
    scf.yield %v : f32
  } else {
    %w = arith.subf %other, %x : f32
    scf.yield %w : f32
  }
  return %r : f32
}
