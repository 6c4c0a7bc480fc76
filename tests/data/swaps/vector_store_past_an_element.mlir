// #1 may pass #2: the vector does not have that element
func.func @main(%m: memref<8xf32>, %v: vector<4xf32>) -> (f32) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  vector.store %v, %m[%c0] : memref<8xf32>, vector<4xf32> loc("DEBUG|2|m")
  %q = memref.load %m[%c4] : memref<8xf32> loc("DEBUG|1|m")
  return %q : f32
}
