// Ops whose custom form leaves much out: bodies, terminators, attributes as keywords, types in short.
func.func @f(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %s: f32, %m: memref<8x8xf32>, %n: index) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = linalg.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %t = linalg.transpose ins(%r : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  %x = linalg.map { arith.addf } ins(%t, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>)
  %sl = tensor.extract_slice %x[0, %n] [2, 2] [1, 1] : tensor<4x4xf32> to tensor<2x2xf32>
  %in = tensor.insert_slice %sl into %x[%n, 1] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<4x4xf32>
  %sub = memref.subview %m[0, 0] [4, 4] [1, 1] : memref<8x8xf32> to memref<4x4xf32, strided<[8, 1]>>
  %al = memref.alloc(%n) : memref<?xf32>
  %c = arith.cmpf olt, %s, %z : f32
  %sel = arith.select %c, %s, %z : f32
  %i = arith.index_cast %n : index to i32
  %fl = arith.sitofp %i : i32 to f32
  %red = linalg.reduce { arith.addf } ins(%in : tensor<4x4xf32>) outs(%a : tensor<4x4xf32>) dimensions = []
  %v = vector.transfer_read %m[%n, %n], %z : memref<8x8xf32>, vector<4xf32>
  %v2 = vector.extract %v[1] : f32 from vector<4xf32>
  %v3 = vector.broadcast %v2 : f32 to vector<4x4xf32>
  %v4 = vector.transpose %v3, [1, 0] : vector<4x4xf32> to vector<4x4xf32>
  %v5 = vector.shuffle %v, %v [0, 1, 2, 5] : vector<4xf32>, vector<4xf32>
  %sq = math.powf %s, %z fastmath<fast> : f32
  %d = tensor.dim %in, %n : tensor<4x4xf32>
  %ex = tensor.expand_shape %in [[0, 1], [2]] output_shape [2, 2, 4] : tensor<4x4xf32> into tensor<2x2x4xf32>
  %gg:2 = scf.if %c -> (f32, f32) { scf.yield %s, %z : f32, f32 } else { scf.yield %z, %s : f32, f32 }
  scf.if %c { "t.use"(%sel, %fl, %v2, %sq, %d, %ex, %gg#0) : (f32,f32,f32,f32,index,tensor<2x2x4xf32>,f32) -> () }
  %fa = scf.forall (%p, %q) in (4, 4) shared_outs(%o = %in) -> (tensor<4x4xf32>) {
    %one = tensor.extract_slice %o[%p, %q] [1, 1] [1, 1] : tensor<4x4xf32> to tensor<1x1xf32>
    scf.forall.in_parallel { tensor.parallel_insert_slice %one into %o[%p, %q] [1, 1] [1, 1] : tensor<1x1xf32> into tensor<4x4xf32> }
  }
  %sc = scf.parallel (%p) = (%n) to (%n) step (%n) init (%s) -> f32 { scf.reduce(%s : f32) { ^bb0(%l: f32, %rr: f32): %k = arith.addf %l, %rr : f32  scf.reduce.return %k : f32 } }
  cf.switch %i : i32, [ default: ^bb1(%x : tensor<4x4xf32>), 42: ^bb2 ]
^bb1(%y: tensor<4x4xf32>):
  return %y : tensor<4x4xf32>
^bb2:
  cf.assert %c, "message %d"
  return %fa : tensor<4x4xf32>
}
llvm.mlir.global external constant @g("hello %d") {addr_space = 0 : i32}
llvm.func @h(!llvm.ptr, ...) -> i32
llvm.func @k(%a: !llvm.ptr, %b: i32) -> i32 {
  %0 = llvm.mlir.constant(1 : i32) : i32
  %1 = llvm.getelementptr %a[%b, 1] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.struct<(i32, array<4 x i8>)>
  %2 = llvm.load %1 : !llvm.ptr -> i32
  %3 = llvm.add %2, %0 : i32
  %4 = llvm.icmp "eq" %3, %0 : i32
  %5 = llvm.mlir.addressof @g : !llvm.ptr
  %6 = llvm.call @h(%5, %3) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, i32) -> i32
  llvm.store %6, %1 : i32, !llvm.ptr
  %7 = llvm.alloca %0 x i32 {alignment = 4 : i64} : (i32) -> !llvm.ptr
  llvm.cond_br %4, ^bb1(%6 : i32), ^bb2
^bb1(%x: i32):
  llvm.return %x : i32
^bb2:
  llvm.unreachable
}
