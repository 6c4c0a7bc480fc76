// The lists in the body of the attribute say nothing of the slice.
func.func @main(%c: i1, %t: tensor<4xi32>, %i: i32) -> tensor<1xi32> {
  cf.assert %c, "zero" loc("DEBUG|5|m")
  %r = tensor.extract_slice %t[4] [1] [1] {my.a = #my.slice<[0] [1] [1] : i32>} : tensor<4xi32> to tensor<1xi32> loc("DEBUG|1|m")
  return %r : tensor<1xi32>
}
