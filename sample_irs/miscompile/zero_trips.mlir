// A loop that never runs stores 2. So @main returns 1.
func.func @main() -> i32 {
  %cell = memref.alloc() : memref<1xi32>
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  affine.store %one, %cell[0] : memref<1xi32>
  affine.for %i = 0 to 0 {
    affine.store %two, %cell[0] : memref<1xi32>
  }
  %value = affine.load %cell[0] : memref<1xi32>
  memref.dealloc %cell : memref<1xi32>
  return %value : i32
}
