// iree-opt iree-util-hoist-into-globals
// What is computed from constants alone becomes globals of the module.
util.func public @weights(%x: tensor<16xf32>) -> tensor<16xf32> {
  %w = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0]> : tensor<16xf32>
  %a = arith.mulf %x, %w : tensor<16xf32>
  %v = arith.constant dense<[2.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0]> : tensor<16xf32>
  %p = math.exp %v : tensor<16xf32>
  %b = arith.addf %a, %p : tensor<16xf32>
  %q = math.log %p : tensor<16xf32>
  %c = arith.addf %b, %q : tensor<16xf32>
  util.return %c : tensor<16xf32>
}
