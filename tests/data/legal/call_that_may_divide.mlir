// The function touches no memory and returns, but it may divide by what the assertion says is not zero.
llvm.func @f(i32) -> i32 attributes {memory_effects = #llvm.memory_effects<other = none, argMem = none, inaccessibleMem = none, errnoMem = none, targetMem0 = none, targetMem1 = none>, no_unwind, will_return}
llvm.func @main(%x: i32, %c: i1) -> i32 {
  cf.assert %c, "not zero" loc("DEBUG|5|m")
  %r = llvm.call @f(%x) : (i32) -> i32 loc("DEBUG|1|m")
  llvm.return %r : i32
}
