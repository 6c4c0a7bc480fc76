// The result is the operand with other elements, and that is in memory.
func.func @main(%m: memref<8xf32>, %i: index, %k: !torch.vtensor<[2],f32>, %n: !torch.int) -> (f32, !torch.vtensor<[8],f32>) {
  %t = bufferization.to_tensor %m restrict writable : memref<8xf32> to tensor<8xf32>
  %v = torch_c.from_builtin_tensor %t : tensor<8xf32> -> !torch.vtensor<[8],f32>
  %e = memref.load %m[%i] : memref<8xf32> loc("DEBUG|5|m")
  %r = torch.aten.slice_scatter %v, %k, %n, %n, %n, %n : !torch.vtensor<[8],f32>, !torch.vtensor<[2],f32>, !torch.int, !torch.int, !torch.int, !torch.int -> !torch.vtensor<[8],f32> loc("DEBUG|1|m")
  return %e, %r : f32, !torch.vtensor<[8],f32>
}
