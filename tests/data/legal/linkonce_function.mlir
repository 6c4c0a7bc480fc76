llvm.func linkonce @f() { llvm.return }
llvm.func @main(%p: !llvm.ptr) -> i32 {
    %x = llvm.load %p : !llvm.ptr -> i32 loc("DEBUG|5|m")
    llvm.call @f() : () -> () loc("DEBUG|1|m")
    llvm.return %x : i32
}
