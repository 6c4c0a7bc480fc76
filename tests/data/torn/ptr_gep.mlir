// A line of one op begins with a word at the indentation of the op: #9 stays before #1, which uses its result.
llvm.func @main(%p: !llvm.ptr, %i: i32) -> !llvm.ptr {
  %v = llvm.load
  volatile %p : !llvm.ptr -> !llvm.ptr loc("DEBUG|9|c")
  %c = llvm.getelementptr %v[1] : (!llvm.ptr) -> !llvm.ptr, i32 loc("DEBUG|1|a")
  llvm.return %c : !llvm.ptr
}
