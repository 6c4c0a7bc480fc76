// The operands of the bundle are read where the call deoptimizes, whatever the function says.
llvm.func @pure(i32) -> i32 attributes {memory_effects = #llvm.memory_effects<other = none, argMem = none, inaccessibleMem = none, errnoMem = none, targetMem0 = none, targetMem1 = none>, no_unwind, will_return}
llvm.func @main(%p: !llvm.ptr, %a: i32, %c: i1) -> i32 {
  llvm.store %a, %p : i32, !llvm.ptr loc("DEBUG|5|m")
  %r = llvm.call @pure(%a) ["deopt"(%p, %a : !llvm.ptr, i32)] : (i32) -> i32 loc("DEBUG|1|m")
  llvm.return %a : i32
}
