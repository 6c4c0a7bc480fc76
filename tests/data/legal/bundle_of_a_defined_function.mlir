// Nothing is known of the bundle, whatever the function does.
llvm.func internal @f(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @main(%p: !llvm.ptr, %a: i32) -> i32 {
  llvm.store %a, %p : i32, !llvm.ptr loc("DEBUG|5|m")
  %r = llvm.call @f(%a) ["foo"(%p : !llvm.ptr)] : (i32) -> i32 loc("DEBUG|1|m")
  llvm.return %a : i32
}
