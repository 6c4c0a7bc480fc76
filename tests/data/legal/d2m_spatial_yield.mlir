// d2m.spatial_yield ends its region, though it lacks the trait.
func.func @main(%a: tensor<2x2xf32>, %o: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %r = "d2m.spatial"(%a, %o) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    %1 = "d2m.generic"(%a, %o) <{operandSegmentSizes = array<i32: 1, 1, 0>}> ({
      "d2m.yield"(%a) : (tensor<2x2xf32>) -> ()
    }) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> loc("DEBUG|0|m")
    %c = "arith.constant"() <{value = 1 : index}> : () -> index loc("DEBUG|5|m")
    "d2m.spatial_yield"(%1) : (tensor<2x2xf32>) -> () loc("DEBUG|1|m")
  }) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}
