// One-shot bufferization writes the buffer of the read-only memref in place. Run by MLIR: 7 before, 0 in the other order.
func.func private @mk() -> tensor<4xf32> {
  %x = arith.constant 7.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.fill ins(%x : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @main() -> (f32, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  %q = arith.constant dense<0.0> : vector<4xf32>
  %t = func.call @mk() : () -> tensor<4xf32>
  %m = bufferization.to_buffer %t read_only : tensor<4xf32> to memref<4xf32> loc("DEBUG|0|m")
  %v = memref.load %m[%c0] : memref<4xf32> loc("DEBUG|5|m")
  %r = linalg.fill ins(%z : f32) outs(%t : tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|1|m")
  return %v, %r : f32, tensor<4xf32>
}
