// iree-opt func.func(affine-loop-invariant-code-motion)
// A load and a product that do not depend on the inner loop.
func.func @a(%a: memref<8xf32>, %b: memref<8x8xf32>, %s: f32) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      %v = affine.load %b[%i, %j] : memref<8x8xf32>
      %k = affine.load %a[%i] : memref<8xf32>
      %t = arith.mulf %k, %s : f32
      %w = arith.addf %v, %t : f32
      affine.store %w, %b[%i, %j] : memref<8x8xf32>
    }
  }
  return
}
