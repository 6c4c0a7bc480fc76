// mlir-opt func.func(loop-invariant-code-motion,loop-invariant-subset-hoisting)
// A slice that every turn of a loop takes out and puts back.
func.func @s(%t: tensor<64xf32>, %n: index, %s: f32) -> tensor<64xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %t) -> (tensor<64xf32>) {
    %f = math.exp %s : f32
    %slice = tensor.extract_slice %acc[0][5][1] : tensor<64xf32> to tensor<5xf32>
    %d = tensor.splat %f : tensor<5xf32>
    %sum = arith.addf %slice, %d : tensor<5xf32>
    %back = tensor.insert_slice %sum into %acc[0][5][1] : tensor<5xf32> into tensor<64xf32>
    scf.yield %back : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}
