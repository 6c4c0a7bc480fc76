// Nothing is known of the bundle, whatever the function says.
llvm.func @f(i32) -> i32 attributes {memory_effects = #llvm.memory_effects<other = none, argMem = none, inaccessibleMem = none, errnoMem = none, targetMem0 = none, targetMem1 = none>, no_unwind, will_return}
llvm.func @main(%p: !llvm.ptr, %a: i32) -> i32 {
  llvm.store %a, %p : i32, !llvm.ptr loc("DEBUG|5|m")
  %r = "llvm.call"(%a, %p) <{callee = @f, op_bundle_sizes = array<i32: 1>, op_bundle_tags = ["foo"], operandSegmentSizes = array<i32: 1, 1>}> : (i32, !llvm.ptr) -> i32 loc("DEBUG|1|m")
  llvm.return %a : i32
}
