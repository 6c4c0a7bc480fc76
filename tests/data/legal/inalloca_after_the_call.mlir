// The same where the function is known: no allocation may come between the two.
llvm.func @g(%p: !llvm.ptr {llvm.inalloca = !llvm.struct<(i32)>}) {
  llvm.return
}
llvm.func @main(%n: i32) -> !llvm.ptr {
  %a = llvm.alloca inalloca %n x !llvm.struct<(i32)> : (i32) -> !llvm.ptr loc("DEBUG|0|m")
  llvm.call @g(%a) : (!llvm.ptr {llvm.inalloca = !llvm.struct<(i32)>}) -> () loc("DEBUG|5|m")
  %b = llvm.alloca %n x i64 : (i32) -> !llvm.ptr loc("DEBUG|1|m")
  llvm.return %b : !llvm.ptr
}
