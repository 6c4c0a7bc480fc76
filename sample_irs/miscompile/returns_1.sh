#!/bin/sh
# Does the program on standard input return 1? Lowers the rest of it to LLVM, and runs it.
mlir-opt-22 --lower-affine --convert-scf-to-cf --convert-to-llvm --reconcile-unrealized-casts |
  mlir-runner-22 --entry-point-result=i32 | grep -qx 1
