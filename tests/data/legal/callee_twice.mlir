// MLIR takes the property: the call is of @f, which may do anything.
"func.func"() <{function_type = () -> (), sym_name = "f", sym_visibility = "private"}> ({
}) : () -> ()
"func.func"() <{function_type = () -> (), sym_name = "g", sym_visibility = "private"}> ({
  "func.return"() : () -> ()
}) : () -> ()
"func.func"() <{function_type = (i32) -> (), sym_name = "main"}> ({
^bb0(%x: i32):
  "func.call"() <{callee = @f}> {callee = @g} : () -> () loc("DEBUG|5|m")
  "vector.print"(%x) <{punctuation = #vector.punctuation<newline>}> : (i32) -> () loc("DEBUG|1|m")
  "func.return"() : () -> ()
}) : () -> ()
