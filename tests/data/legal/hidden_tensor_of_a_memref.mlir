// Until version 20, MLIR prints bufferization.to_tensor without its result's type. The extract reads %m.
func.func @main(%m: memref<4xf32>, %x: f32, %i: index) -> f32 {
  %t = bufferization.to_tensor %m restrict : memref<4xf32> loc("DEBUG|0|m")
  %e = tensor.extract %t[%i] : tensor<4xf32> loc("DEBUG|5|m")
  memref.store %x, %m[%i] : memref<4xf32> loc("DEBUG|1|m")
  return %e : f32
}
