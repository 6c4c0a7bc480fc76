// #1 may pass #2: pointers into two stack allocations
llvm.func @main(%n: i32, %i: i64, %x: i32) -> i32 {
  %a = llvm.alloca %n x i32 : (i32) -> !llvm.ptr loc("DEBUG|0|m")
  %b = llvm.alloca %n x i32 : (i32) -> !llvm.ptr loc("DEBUG|0|m")
  %p = llvm.getelementptr inbounds %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32 loc("DEBUG|0|m")
  %q = llvm.getelementptr inbounds %b[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32 loc("DEBUG|0|m")
  llvm.store %x, %p : i32, !llvm.ptr loc("DEBUG|2|m")
  %l = llvm.load %q : !llvm.ptr -> i32 loc("DEBUG|1|m")
  llvm.return %l : i32
}
