// A musttail call is directly before the return.
llvm.func @g(i32) -> i32
llvm.func @main(%a: i32) -> i32 {
  %x = llvm.add %a, %a : i32 loc("DEBUG|5|m")
  %r = llvm.call musttail @g(%a) : (i32) -> i32 loc("DEBUG|1|m")
  llvm.return %r : i32
}
