// Index 5 is out of bounds. The last type is that of the encoding, which tells no extent.
func.func @main(%c: i1, %t: tensor<4xi32, #my.encoding<i32 : tensor<8xi32>>>) -> i32 {
  %c5 = arith.constant 5 : index
  cf.assert %c, "bound" loc("DEBUG|5|m")
  %r = tensor.extract %t[%c5] : tensor<4xi32, #my.encoding<i32 : tensor<8xi32>>> loc("DEBUG|1|m")
  return %r : i32
}
