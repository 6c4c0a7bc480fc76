// The result is the operand with its elements in another order, which may be made in the memory of %m.
func.func @main(%m: memref<8xf32>, %i: index, %d: !torch.int, %b: !torch.bool) -> (f32, !torch.vtensor<[8],f32>) {
  %t = bufferization.to_tensor %m restrict writable : memref<8xf32> to tensor<8xf32>
  %v = torch_c.from_builtin_tensor %t : tensor<8xf32> -> !torch.vtensor<[8],f32>
  %e = memref.load %m[%i] : memref<8xf32> loc("DEBUG|5|m")
  %r, %k = torch.aten.sort %v, %d, %b : !torch.vtensor<[8],f32>, !torch.int, !torch.bool -> !torch.vtensor<[8],f32>, !torch.vtensor<[8],si64> loc("DEBUG|1|m")
  return %e, %r : f32, !torch.vtensor<[8],f32>
}
