// The result is the operand with its elements in another order, which may be made in the memory of %m.
func.func @main(%m: memref<8xf32>, %i: index) -> (f32, tensor<8xf32>) {
  %t = bufferization.to_tensor %m restrict writable : memref<8xf32> to tensor<8xf32>
  %e = memref.load %m[%i] : memref<8xf32> loc("DEBUG|5|m")
  %r = "stablehlo.sort"(%t) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<8xf32>) -> tensor<8xf32> loc("DEBUG|1|m")
  return %e, %r : f32, tensor<8xf32>
}
