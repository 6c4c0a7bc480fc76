// #1 may pass #2: fix puts them in order
llvm.func @f(i32) -> i32 attributes {memory_effects = #llvm.memory_effects<other = none, argMem = none, inaccessibleMem = none, errnoMem = none, targetMem0 = none, targetMem1 = none>, no_unwind, will_return}
llvm.func @main(%p: !llvm.ptr, %a: i32) -> i32 {
  llvm.store %a, %p : i32, !llvm.ptr loc("DEBUG|2|m")
  %r = "llvm.call"(%a) <{callee = @f, op_bundle_sizes = array<i32>, op_bundle_tags = [], operandSegmentSizes = array<i32: 1, 0>}> : (i32) -> i32 loc("DEBUG|1|m")
  llvm.return %r : i32
}
