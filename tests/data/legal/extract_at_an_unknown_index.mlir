// The index may be out of bounds where the assertion does not hold.
func.func @main(%t: tensor<4xf32>, %d: tensor<?xf32>, %m: memref<4xf32>, %i: index, %n: index, %x: i32, %c: i1) -> f32 {
  %c0 = arith.constant 0 : index loc("DEBUG|0|m")
  %c1 = arith.constant 1 : index loc("DEBUG|0|m")
  %c4 = arith.constant 4 : index loc("DEBUG|0|m")
  cf.assert %c, "fits" loc("DEBUG|5|m")
  %r = tensor.extract %t[%i] : tensor<4xf32> loc("DEBUG|1|m")
  return %r : f32
}
