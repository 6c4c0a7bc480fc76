// The attributes that promise no effect have longer names.
llvm.func @f(i32) -> i32 attributes {my.memory_effects = #llvm.memory_effects<other = none, argMem = none, inaccessibleMem = none, errnoMem = none, targetMem0 = none, targetMem1 = none>, my.no_unwind, my.will_return}
llvm.func @main(%p: !llvm.ptr, %a: i32) -> i32 {
  llvm.store %a, %p : i32, !llvm.ptr loc("DEBUG|5|m")
  %r = llvm.call @f(%a) : (i32) -> i32 loc("DEBUG|1|m")
  llvm.return %a : i32
}
