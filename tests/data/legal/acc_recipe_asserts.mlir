// The op runs the recipe that it names, and this may end the program.
acc.private.recipe @checked : memref<i32> init {
^bb0(%from: memref<i32>):
  %v = memref.load %from[] : memref<i32>
  %z = arith.constant 0 : i32
  %c = arith.cmpi ne, %v, %z : i32
  cf.assert %c, "zero"
  %to = memref.alloca() : memref<i32>
  acc.yield %to : memref<i32>
}
func.func @main(%m: memref<i32>, %a: i32, %b: i32) -> i32 {
  %p = acc.private varPtr(%m : memref<i32>) recipe(@checked) -> memref<i32> loc("DEBUG|5|m")
  %d = arith.divsi %a, %b : i32 loc("DEBUG|1|m")
  return %d : i32
}
