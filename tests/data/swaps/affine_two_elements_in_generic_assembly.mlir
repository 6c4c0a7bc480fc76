// #1 may pass #2: it is another element
func.func @main(%m: memref<4x8xf32>, %x: f32) -> (f32) {
  %c = arith.constant 3 : index
  "affine.store"(%x, %m, %c) <{map = affine_map<(d0) -> (d0, 2)>}> : (f32, memref<4x8xf32>, index) -> () loc("DEBUG|2|m")
  %q = "affine.load"(%m) <{map = affine_map<() -> (2, 3)>}> : (memref<4x8xf32>) -> f32 loc("DEBUG|1|m")
  return %q : f32
}
