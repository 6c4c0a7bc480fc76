// The parser takes a space before the bracket of a type. The free is forced.
func.func @main(%t: tensor <4xf32>) -> tensor <4xf32> {
  %x = "ttnn.neg"(%t) : (tensor <4xf32>) -> tensor <4xf32> loc("DEBUG|5|m")
  "ttnn.deallocate"(%t) <{force = true}> : (tensor <4xf32>) -> () loc("DEBUG|1|m")
  return %x : tensor <4xf32>
}
