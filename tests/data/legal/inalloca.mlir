// An inalloca allocation is the newest one at the call.
llvm.func @g(!llvm.ptr {llvm.inalloca = !llvm.struct<(i32)>})
llvm.func @main(%n: i32) -> !llvm.ptr {
  %b = llvm.alloca %n x i64 : (i32) -> !llvm.ptr loc("DEBUG|5|m")
  %a = llvm.alloca inalloca %n x !llvm.struct<(i32)> : (i32) -> !llvm.ptr loc("DEBUG|1|m")
  llvm.call @g(%a) : (!llvm.ptr {llvm.inalloca = !llvm.struct<(i32)>}) -> () loc("DEBUG|6|m")
  llvm.return %b : !llvm.ptr
}
