// The property names the function: @f is the one that prints, whatever the other attribute says.
"func.func"() <{function_type = (i32) -> (), sym_name = "f"}> ({
^bb0(%y: i32):
  "vector.print"(%y) <{punctuation = #vector.punctuation<newline>}> : (i32) -> ()
  "func.return"() : () -> ()
}) {sym_name = "g"} : () -> ()
"func.func"() <{function_type = (i32) -> (), sym_name = "g"}> ({
^bb0(%y: i32):
  "func.return"() : () -> ()
}) {sym_name = "f"} : () -> ()
"func.func"() <{function_type = (i32) -> (), sym_name = "main"}> ({
^bb0(%x: i32):
  "func.call"(%x) <{callee = @f}> : (i32) -> () loc("DEBUG|5|m")
  "vector.print"(%x) <{punctuation = #vector.punctuation<newline>}> : (i32) -> () loc("DEBUG|1|m")
  "func.return"() : () -> ()
}) : () -> ()
