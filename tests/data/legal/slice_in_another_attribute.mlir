// The offset is 4, out of bounds. The 0 is of an attribute of a longer name.
func.func @main(%c: i1, %t: tensor<4xi32>) -> tensor<1xi32> {
  cf.assert %c, "zero" loc("DEBUG|5|m")
  %r = "tensor.extract_slice"(%t) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64 : 4>, static_sizes = array<i64 : 1>, static_strides = array<i64 : 1>}> {my.a = {static_offsets = array<i64: 0>, static_sizes = array<i64: 1>, static_strides = array<i64: 1>}} : (tensor<4xi32>) -> tensor<1xi32> loc("DEBUG|1|m")
  return %r : tensor<1xi32>
}
