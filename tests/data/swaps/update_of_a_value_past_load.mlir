// #1 may pass #2: fix puts them in order
func.func @main(%m: memref<8xf32>, %t: tensor<8xf32>, %k: tensor<2xf32>, %j: tensor<i32>, %i: index) -> (f32, tensor<8xf32>) {
  %e = memref.load %m[%i] : memref<8xf32> loc("DEBUG|2|m")
  %r = stablehlo.dynamic_update_slice %t, %k, %j : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32> loc("DEBUG|1|m")
  return %e, %r : f32, tensor<8xf32>
}
