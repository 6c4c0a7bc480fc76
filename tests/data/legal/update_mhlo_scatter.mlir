// The result is the operand with other elements, and that is in memory.
func.func @main(%m: memref<8xf32>, %i: index, %x: tensor<2x1xi32>, %k: tensor<2xf32>) -> (f32, tensor<8xf32>) {
  %t = bufferization.to_tensor %m restrict writable : memref<8xf32> to tensor<8xf32>
  %e = memref.load %m[%i] : memref<8xf32> loc("DEBUG|5|m")
  %r = "mhlo.scatter"(%t, %x, %k) ({
  ^bb0(%old: tensor<f32>, %new: tensor<f32>):
    "mhlo.return"(%new) : (tensor<f32>) -> ()
  }) {scatter_dimension_numbers = #mhlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<8xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<8xf32> loc("DEBUG|1|m")
  return %e, %r : f32, tensor<8xf32>
}
