// One-shot bufferization writes the memory of the memref in place. Run by MLIR: 7 before, 0 in the other order.
func.func @main(%m: memref<4xf32>, %z: f32, %c0: index, %c1: index, %c4: index, %q: vector<4xf32>) -> (f32, tensor<4xf32>) {
  %s = memref.subview %m[0][2][1] : memref<4xf32> to memref<2xf32, strided<[1]>>
  %t = bufferization.to_tensor %m restrict writable : memref<4xf32> to tensor<4xf32> loc("DEBUG|0|m")
  %v = memref.load %s[%c0] : memref<2xf32, strided<[1]>> loc("DEBUG|5|m")
  %r = tensor.insert %z into %t[%c0] : tensor<4xf32> loc("DEBUG|1|m")
  return %v, %r : f32, tensor<4xf32>
}
