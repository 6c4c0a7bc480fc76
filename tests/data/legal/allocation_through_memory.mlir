// The loaded pointer is the allocation, which was stored there.
llvm.func @main(%n: i32, %x: i32, %slot: !llvm.ptr) -> i32 {
  %a = llvm.alloca %n x i32 : (i32) -> !llvm.ptr loc("DEBUG|0|m")
  llvm.store %a, %slot : !llvm.ptr, !llvm.ptr loc("DEBUG|0|m")
  %p = llvm.load %slot : !llvm.ptr -> !llvm.ptr loc("DEBUG|0|m")
  llvm.store %x, %a : i32, !llvm.ptr loc("DEBUG|5|m")
  %l = llvm.load %p : !llvm.ptr -> i32 loc("DEBUG|1|m")
  llvm.return %l : i32
}
