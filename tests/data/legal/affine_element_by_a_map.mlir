// The map exchanges the indices.
func.func @main(%m: memref<4x4xf32>, %x: f32) -> (f32) {
  %c = arith.constant 1 : index
  %d = arith.constant 2 : index
  "affine.store"(%x, %m, %c, %d) <{map = affine_map<(d0, d1) -> (d1, d0)>}> : (f32, memref<4x4xf32>, index, index) -> () loc("DEBUG|5|m")
  %q = affine.load %m[2, 1] : memref<4x4xf32> loc("DEBUG|1|m")
  return %q : f32
}
