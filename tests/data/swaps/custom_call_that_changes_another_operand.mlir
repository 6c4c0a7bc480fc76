// #1 may pass #2: the call changes the other operand
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %p = stablehlo.custom_call @foo(%x, %y) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("DEBUG|2|m")
  %q = stablehlo.add %x, %x : tensor<4xf32> loc("DEBUG|1|m")
  return %p, %q : tensor<4xf32>, tensor<4xf32>
}
