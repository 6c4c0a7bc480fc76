// The result is the operand with other elements, and that is in memory.
func.func @main(%m: memref<8xf32>, %i: index, %l: !torch.list<vtensor>, %k: !torch.vtensor<[2],f32>, %false: !torch.bool) -> (f32, !torch.vtensor<[8],f32>) {
  %t = bufferization.to_tensor %m restrict writable : memref<8xf32> to tensor<8xf32>
  %v = torch_c.from_builtin_tensor %t : tensor<8xf32> -> !torch.vtensor<[8],f32>
  %e = memref.load %m[%i] : memref<8xf32> loc("DEBUG|5|m")
  %r = torch.aten.index_put %v, %l, %k, %false : !torch.vtensor<[8],f32>, !torch.list<vtensor>, !torch.vtensor<[2],f32>, !torch.bool -> !torch.vtensor<[8],f32> loc("DEBUG|1|m")
  return %e, %r : f32, !torch.vtensor<[8],f32>
}
