// #1 may pass #2: they are two elements
"func.func"() <{function_type = (memref<4xf32>, f32) -> (), sym_name = "main"}> ({
^bb0(%m: memref<4xf32>, %x: f32):
  %c0 = "arith.constant"() <{value = 0 : index}> : () -> index loc("DEBUG|0|m")
  %c1 = "arith.constant"() <{value = 1 : index}> : () -> index loc("DEBUG|0|m")
  "memref.store"(%x, %m, %c0) : (f32, memref<4xf32>, index) -> () loc("DEBUG|2|m")
  "memref.store"(%x, %m, %c1) : (f32, memref<4xf32>, index) -> () loc("DEBUG|1|m")
  "func.return"() : () -> ()
}) : () -> ()
