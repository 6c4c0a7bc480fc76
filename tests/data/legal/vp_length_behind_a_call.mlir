// The call may not return, and a vector length that is too great is undefined.
llvm.func @exit_if(i1)
llvm.func @main(%c: i1, %a: vector<4xi32>, %m: vector<4xi1>, %e: i32) -> vector<4xi32> {
  llvm.call @exit_if(%c) : (i1) -> () loc("DEBUG|5|m")
  %r = "llvm.intr.vp.add"(%a, %a, %m, %e) : (vector<4xi32>, vector<4xi32>, vector<4xi1>, i32) -> vector<4xi32> loc("DEBUG|1|m")
  llvm.return %r : vector<4xi32>
}
