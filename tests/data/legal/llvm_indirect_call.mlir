llvm.func @pure() { llvm.return }
llvm.func @main(%p: !llvm.ptr, %f: !llvm.ptr) -> i32 {
    %x = llvm.load %p : !llvm.ptr -> i32 loc("DEBUG|5|m")
    llvm.call %f() {hint = @pure} : !llvm.ptr, () -> () loc("DEBUG|1|m")
    llvm.return %x : i32
}
