// It may sort in place, and its operand is in memory.
#S = #sparse_tensor.encoding<{map = (i, j) -> (i : compressed(nonunique, nonordered), j : singleton(nonordered))}>
#T = #sparse_tensor.encoding<{map = (i, j) -> (i : compressed(nonunique), j : singleton)}>
func.func @main(%p: tensor<2xindex>, %x: tensor<8x2xindex>, %m: memref<8xf32>, %i: index) -> (f32, tensor<4x4xf32, #T>) {
  %t = bufferization.to_tensor %m restrict writable : memref<8xf32> to tensor<8xf32>
  %s = sparse_tensor.assemble (%p, %x), %t : (tensor<2xindex>, tensor<8x2xindex>), tensor<8xf32> to tensor<4x4xf32, #S>
  %e = memref.load %m[%i] : memref<8xf32> loc("DEBUG|5|m")
  %r = sparse_tensor.reorder_coo quick_sort %s : tensor<4x4xf32, #S> to tensor<4x4xf32, #T> loc("DEBUG|1|m")
  return %e, %r : f32, tensor<4x4xf32, #T>
}
