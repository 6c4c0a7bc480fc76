// iree-opt func.func(loop-invariant-code-motion)
// What does not depend on the loops is computed inside them.
func.func @scale_rows(%matrix: memref<64x32xf32>, %gain: memref<64xf32>, %bias: f32, %epsilon: f32) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rows = arith.constant 64 : index
  %columns = arith.constant 32 : index
  scf.for %row = %zero to %rows step %one {
    scf.for %column = %zero to %columns step %one {
      %value = memref.load %matrix[%row, %column] : memref<64x32xf32>
      %shifted = arith.addf %bias, %epsilon : f32
      %inverse = math.rsqrt %shifted : f32
      %half = arith.constant 0.5 : f32
      %factor = arith.mulf %inverse, %half : f32
      %scaled = arith.mulf %value, %factor : f32
      memref.store %scaled, %matrix[%row, %column] : memref<64x32xf32>
    }
    %one_more = arith.constant 1.0 : f32
    %sum = arith.addf %bias, %one_more : f32
    memref.store %sum, %gain[%row] : memref<64xf32>
  }
  return
}
