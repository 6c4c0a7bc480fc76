// The restored order is 5, 6, 7. A name inside the region clashes with one outside.
func.func @f(%x: f32, %n: index, %m: memref<?xf32>) -> f32 {
  scf.for %0 = %n to %n step %n {
    memref.store %x, %m[%0] : memref<?xf32>
  } loc("DEBUG|6|m")
  %0 = arith.negf %x : f32 loc("DEBUG|5|m")
  %1 = arith.negf %0 : f32 loc("DEBUG|7|m")
  return %1 : f32
}
