llvm.func @main(%n: i32, %v: i32) -> i32 {
    %a = llvm.alloca %n x i32 : (i32) -> !llvm.ptr loc("DEBUG|5|m")
    %s = llvm.intr.stacksave : !llvm.ptr loc("DEBUG|1|m")
    llvm.intr.stackrestore %s : !llvm.ptr loc("DEBUG|6|m")
    llvm.store %v, %a : i32, !llvm.ptr loc("DEBUG|7|m")
    %x = llvm.load %a : !llvm.ptr -> i32 loc("DEBUG|8|m")
    llvm.return %x : i32
}
