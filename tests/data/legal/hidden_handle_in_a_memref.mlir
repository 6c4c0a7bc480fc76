// memref.load shows the memref alone. Its elements are of an unknown type, and what they stand for may change.
func.func @main(%m: memref<2x!my.box>, %i: index, %x: f32, %n: memref<f32>) -> !my.box {
  %h = memref.load %m[%i] : memref<2x!my.box> loc("DEBUG|0|m")
  %u = "ttir.neg"(%h) : (!my.box) -> !my.box loc("DEBUG|5|m")
  memref.store %x, %n[] : memref<f32> loc("DEBUG|1|m")
  return %u : !my.box
}
