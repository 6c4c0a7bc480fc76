// The same in generic assembly, with the kind in an alias.
#tail = #llvm.tailcallkind<musttail>
llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @main(%a: i32) -> i32 {
  %x = llvm.add %a, %a : i32 loc("DEBUG|5|m")
  %r = "llvm.call"(%a) <{CConv = #llvm.cconv<ccc>, TailCallKind = #tail, callee = @g, fastmathFlags = #llvm.fastmath<none>, op_bundle_sizes = array<i32>, operandSegmentSizes = array<i32: 1, 0>}> : (i32) -> i32 loc("DEBUG|1|m")
  llvm.return %r : i32
}
