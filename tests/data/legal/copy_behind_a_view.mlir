// The view is of the first allocation.
func.func @main() {
  %m = memref.alloc() : memref<8xf32>
  %n = memref.alloc() : memref<8xf32>
  %s = memref.subview %m[2] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 2>> loc("DEBUG|0|m")
  %t = memref.subview %n[2] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 2>> loc("DEBUG|0|m")
  memref.copy %s, %t : memref<4xf32, strided<[1], offset: 2>> to memref<4xf32, strided<[1], offset: 2>> loc("DEBUG|5|m")
  memref.copy %n, %m : memref<8xf32> to memref<8xf32> loc("DEBUG|1|m")
  return
}
