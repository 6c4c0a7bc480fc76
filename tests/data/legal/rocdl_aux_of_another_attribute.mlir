// Bit 31 may be set. The 0 is of an attribute of a longer name.
llvm.func @main(%r: !llvm.ptr<8>, %o: i32, %s: i32, %aux: i32) -> i32 {
  %a = rocdl.raw.ptr.buffer.load %r, %o, %s, %aux {my.aux = 0 : i32} : i32 loc("DEBUG|5|m")
  %b = rocdl.raw.ptr.buffer.load %r, %o, %s, %aux {my.aux = 0 : i32} : i32 loc("DEBUG|1|m")
  %d = llvm.sub %a, %b : i32
  llvm.return %d : i32
}
