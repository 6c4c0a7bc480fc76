// iree-opt func.func(affine-loop-fusion)
// A producer loop and a consumer loop with another one between them.
func.func @pipeline(%in: memref<64xf32>, %out: memref<64xf32>, %other: memref<64xf32>, %s: f32) {
  %buffer = memref.alloc() : memref<64xf32>
  affine.for %i = 0 to 64 {
    %v = affine.load %in[%i] : memref<64xf32>
    %w = arith.mulf %v, %s : f32
    affine.store %w, %buffer[%i] : memref<64xf32>
  }
  %t = math.sqrt %s : f32
  affine.for %i = 0 to 64 {
    %v = affine.load %other[%i] : memref<64xf32>
    %w = arith.addf %v, %t : f32
    affine.store %w, %other[%i] : memref<64xf32>
  }
  affine.for %i = 0 to 64 {
    %v = affine.load %buffer[%i] : memref<64xf32>
    %w = arith.addf %v, %t : f32
    affine.store %w, %out[%i] : memref<64xf32>
  }
  return
}
