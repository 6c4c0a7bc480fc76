// Two functions whose ops several patterns of canonicalize rewrite, and one that no pattern changes.
func.func @select(%a: i32, %b: i32, %c: i1) -> i32 {
  %zero = arith.constant 0 : i32
  %none = arith.addi %zero, %a : i32
  %r = scf.if %c -> i32 {
    %sum = arith.addi %none, %zero : i32
    scf.yield %sum : i32
  } else {
    scf.yield %b : i32
  }
  return %r : i32
}

func.func @branches(%a: tensor<4xf32>, %m: memref<4xf32>, %c: i1, %n: index) -> tensor<4xf32> {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %double = arith.addf %a, %a : tensor<4xf32>
  %v:2 = scf.for %i = %first to %n step %one iter_args(%x = %double, %y = %a) -> (tensor<4xf32>, tensor<4xf32>) {
    %next = arith.mulf %x, %a : tensor<4xf32>
    scf.yield %next, %a : tensor<4xf32>, tensor<4xf32>
  }
  memref.copy %m, %m : memref<4xf32> to memref<4xf32>
  cf.cond_br %c, ^left, ^right
^left:
  cf.br ^right
^right:
  return %v#0 : tensor<4xf32>
}

func.func @same(%a: i32, %b: i32) -> i32 {
  %0 = arith.muli %a, %b : i32
  %1 = arith.muli %a, %b : i32
  %2 = arith.addi %0, %1 : i32
  return %2 : i32
}
