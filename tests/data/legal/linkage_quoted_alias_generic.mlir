#l = #llvm.linkage<weak>
"llvm.func"() <{CConv = #llvm.cconv<ccc>, "linkage" = #l, function_type = !llvm.func<void (ptr)>, sym_name = "f"}> ({ ^bb0(%x: !llvm.ptr): llvm.return }) : () -> ()
func.func @main(%p: !llvm.ptr, %m: memref<i32>) -> i32 {
    llvm.call @f(%p) : (!llvm.ptr) -> () loc("DEBUG|5|m")
    %v = memref.load %m[] : memref<i32> loc("DEBUG|1|m")
    return %v : i32
}
