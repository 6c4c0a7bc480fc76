// A landing pad is the first op of its block.
llvm.func @may_throw()
llvm.func @__gxx_personality_v0(...) -> i32
llvm.func @use(i32)
llvm.func @main(%a: i32) -> i32 attributes {personality = @__gxx_personality_v0} {
  llvm.invoke @may_throw() to ^ok unwind ^bad : () -> ()
^ok:
  llvm.return %a : i32
^bad:
  %l = llvm.landingpad cleanup : !llvm.struct<(ptr, i32)> loc("DEBUG|5|m")
  %b = llvm.add %a, %a : i32 loc("DEBUG|1|m")
  llvm.call @use(%b) : (i32) -> () loc("DEBUG|10|m")
  llvm.resume %l : !llvm.struct<(ptr, i32)>
}
