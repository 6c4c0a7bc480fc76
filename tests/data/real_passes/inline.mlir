// iree-opt inline
// An activation called twice.
func.func private @gelu(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %half = arith.constant dense<0.5> : tensor<8x16xf32>
  %one = arith.constant dense<1.0> : tensor<8x16xf32>
  %root = arith.constant dense<0.70710678> : tensor<8x16xf32>
  %scaled = arith.mulf %x, %root : tensor<8x16xf32>
  %erf = math.erf %scaled : tensor<8x16xf32>
  %shifted = arith.addf %erf, %one : tensor<8x16xf32>
  %halved = arith.mulf %x, %half : tensor<8x16xf32>
  %y = arith.mulf %halved, %shifted : tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}

func.func @mlp(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>, %v: tensor<16x16xf32>) -> tensor<8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x16xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x16xf32>) -> tensor<8x16xf32>
  %hidden = linalg.matmul ins(%x, %w : tensor<8x16xf32>, tensor<16x16xf32>) outs(%filled : tensor<8x16xf32>) -> tensor<8x16xf32>
  %activated = func.call @gelu(%hidden) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %out = linalg.matmul ins(%activated, %v : tensor<8x16xf32>, tensor<16x16xf32>) outs(%filled : tensor<8x16xf32>) -> tensor<8x16xf32>
  %again = func.call @gelu(%out) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %again : tensor<8x16xf32>
}
