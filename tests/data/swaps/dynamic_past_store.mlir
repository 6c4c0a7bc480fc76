// #1 may pass #2: the store returns
func.func @main(%a: tensor<?xf32>, %m: memref<?xf32>, %i: index, %x: f32) -> tensor<?xf32> {
  memref.store %x, %m[%i] : memref<?xf32> loc("DEBUG|2|m")
  %p = arith.addf %a, %a : tensor<?xf32> loc("DEBUG|1|m")
  return %p : tensor<?xf32>
}
