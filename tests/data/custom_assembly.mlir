// Custom assembly of many dialects: regions, loop variables, clauses on lines of their own, quoted symbols.
#map = affine_map<(d0) -> (d0)>
#set = affine_set<(d0) : (d0 - 2 >= 0, d0 == 4)>
module @attributes {
  memref.global "private" @"a table" : memref<4xf32> = dense<1.0>
  func.func private @"with space"(f32, index) -> f32
  func.func @loops(%n: index, %x: f32, %m: memref<8xf32>, %c: i1) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> (f32) {
      %v = memref.load %m[%i] : memref<8xf32>
      %s = arith.addf %acc, %v : f32
      scf.yield %s : f32
    }
    scf.for %i = %c0 to %n step %c1 {
    }
    %w:2 = scf.while (%a = %sum, %b = %c0) : (f32, index) -> (f32, index) {
      %lt = arith.cmpi slt, %b, %n : index
      scf.condition(%lt) %a, %b : f32, index
    } do {
    ^bb0(%a: f32, %b: index):
      %next = arith.addi %b, %c1 : index
      scf.yield %a, %next : f32, index
    }
    %r = scf.index_switch %w#1 -> f32
    case 2 {
      scf.yield %x : f32
    }
    default {
      scf.yield %w#0 : f32
    }
    affine.for %i = 0 to 8 step 2 {
      affine.if #set(%i) {
        affine.store %r, %m[%i] : memref<8xf32>
      } else {
        affine.store %x, %m[%i + 1] : memref<8xf32>
      }
    }
    scf.parallel (%i) = (%c0) to (%n) step (%c1) {
      memref.store %x, %m[%i] : memref<8xf32>
      scf.reduce
    }
    %called = func.call @"with space"(%r, %n) : (f32, index) -> f32
    cf.cond_br %c, ^bb1(%called : f32), ^bb2
  ^bb1(%p: f32):
    return %p : f32
  ^bb2:
    %t = memref.get_global @"a table" : memref<4xf32>
    %l = memref.load %t[%c0] : memref<4xf32>
    cf.br ^bb1(%l : f32)
  }
  func.func @tensors(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> attributes {
    iree.abi.stub
  } {
    %e = tensor.empty() : tensor<4xf32>
    %g = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
        ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %s = arith.addf %in, %in_0 : f32
      linalg.yield %s : f32
    } -> tensor<4xf32>
    %h = tensor.generate {
    ^bb0(%i: index):
      %v = tensor.extract %g[%i] : tensor<4xf32>
      tensor.yield %v : f32
    } : tensor<4xf32>
    return %h : tensor<4xf32>
  }
}
