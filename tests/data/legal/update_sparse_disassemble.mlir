// It writes into its destinations, one of which is in memory.
#S = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @main(%s: tensor<8xf32, #S>, %m: memref<8xf32>, %op: tensor<2xindex>, %oi: tensor<8xindex>, %i: index) -> (f32, tensor<8xf32>) {
  %od = bufferization.to_tensor %m restrict writable : memref<8xf32> to tensor<8xf32>
  %v = memref.load %m[%i] : memref<8xf32> loc("DEBUG|5|m")
  %rp, %ri, %rd, %pl, %il, %vl = sparse_tensor.disassemble %s : tensor<8xf32, #S> out_lvls(%op, %oi : tensor<2xindex>, tensor<8xindex>) out_vals(%od : tensor<8xf32>) -> (tensor<2xindex>, tensor<8xindex>), tensor<8xf32>, (index, index), index loc("DEBUG|1|m")
  return %v, %rd : f32, tensor<8xf32>
}
