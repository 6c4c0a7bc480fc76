// #1 may pass #2: the view is in bounds
func.func @main(%t: tensor<4xf32>, %d: tensor<?xf32>, %m: memref<4xf32>, %i: index, %n: index, %x: i32, %c: i1) {
  %c0 = arith.constant 0 : index loc("DEBUG|0|m")
  %c1 = arith.constant 1 : index loc("DEBUG|0|m")
  %c4 = arith.constant 4 : index loc("DEBUG|0|m")
  "my.op"() : () -> () loc("DEBUG|2|m")
  %r = memref.subview %m[0] [2] [2] : memref<4xf32> to memref<2xf32, strided<[2]>> loc("DEBUG|1|m")
  return
}
