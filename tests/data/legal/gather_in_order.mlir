// The assertion says that the indices are in order, which the gather takes for granted.
func.func @main(%a: tensor<3x4xf32>, %i: tensor<2x1xi64>, %c: i1) -> tensor<2x4xf32> {
  cf.assert %c, "in order" loc("DEBUG|5|m")
  %g = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2x1xi64>) -> tensor<2x4xf32> loc("DEBUG|1|m")
  return %g : tensor<2x4xf32>
}
