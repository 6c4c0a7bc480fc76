// #1 may pass #2: the function touches no memory, returns and does not unwind
llvm.func @f(i32) -> i32 attributes {memory_effects = #llvm.memory_effects<other = none, argMem = none, inaccessibleMem = none, errnoMem = none, targetMem0 = none, targetMem1 = none>, no_unwind, will_return}
llvm.func @main(%x: i32, %p: !llvm.ptr) -> i32 {
  llvm.store %x, %p : i32, !llvm.ptr loc("DEBUG|2|m")
  %r = llvm.call @f(%x) : (i32) -> i32 loc("DEBUG|1|m")
  llvm.return %r : i32
}
