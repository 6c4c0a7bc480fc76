// The atomic update is lowered to one that acquires: what another thread wrote before it is seen after it.
func.func @main(%i: index, %x: i32) -> i32 {
  %lock = memref.alloc() : memref<4xi32> loc("DEBUG|0|m")
  %d = memref.alloc() : memref<4xi32> loc("DEBUG|0|m")
  "my.share"(%lock, %d) : (memref<4xi32>, memref<4xi32>) -> () loc("DEBUG|0|m")
  %old = memref.atomic_rmw addi %x, %lock[%i] : (i32, memref<4xi32>) -> i32 loc("DEBUG|5|m")
  %l = memref.load %d[%i] : memref<4xi32> loc("DEBUG|1|m")
  return %l : i32
}
