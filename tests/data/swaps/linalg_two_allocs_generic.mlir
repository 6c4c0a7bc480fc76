// #1 may pass #2: their memory is that of two allocations
func.func @main(%v: vector<4xf32>, %i: index, %z: f32, %a: memref<8xf32>) {
  %m = memref.alloc() : memref<8xf32>
  %n = memref.alloc() : memref<8xf32>
  "linalg.copy"(%a, %m) <{operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }) : (memref<8xf32>, memref<8xf32>) -> () loc("DEBUG|2|m")
  "linalg.copy"(%a, %n) <{operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }) : (memref<8xf32>, memref<8xf32>) -> () loc("DEBUG|1|m")
  return
}
