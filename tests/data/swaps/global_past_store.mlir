// #1 may pass #2: a global is no memory that a pointer leads to
ml_program.global private mutable @a(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
ml_program.global private mutable @b(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main(%x: tensor<4xf32>, %f: f32, %i: index) {
  %m = memref.alloc() : memref<8xf32>
  ml_program.global_store @a = %x : tensor<4xf32> loc("DEBUG|2|m")
  memref.store %f, %m[%i] : memref<8xf32> loc("DEBUG|1|m")
  return
}
