// The slice is out of bounds, which older versions of MLIR take, where the assertion does not hold.
func.func @main(%t: tensor<4xf32>, %d: tensor<?xf32>, %m: memref<4xf32>, %i: index, %n: index, %x: i32, %c: i1) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index loc("DEBUG|0|m")
  %c1 = arith.constant 1 : index loc("DEBUG|0|m")
  %c4 = arith.constant 4 : index loc("DEBUG|0|m")
  cf.assert %c, "fits" loc("DEBUG|5|m")
  %r = tensor.extract_slice %t[3] [2] [1] : tensor<4xf32> to tensor<2xf32> loc("DEBUG|1|m")
  return %r : tensor<2xf32>
}
