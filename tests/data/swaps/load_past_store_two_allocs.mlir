// #1 may pass #2: a load of one stack allocation, a store to another
llvm.func @main(%n: i32, %x: i32) -> i32 {
  %a = llvm.alloca %n x i32 : (i32) -> !llvm.ptr loc("DEBUG|0|m")
  %b = llvm.alloca %n x i32 : (i32) -> !llvm.ptr loc("DEBUG|0|m")
  llvm.store %x, %a : i32, !llvm.ptr loc("DEBUG|2|m")
  %l = llvm.load %b : !llvm.ptr -> i32 loc("DEBUG|1|m")
  llvm.return %l : i32
}
