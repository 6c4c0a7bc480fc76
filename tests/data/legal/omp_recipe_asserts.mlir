// The op runs the regions of the recipe that it names, and these may end the program.
omp.private {type = firstprivate} @checked : i32 copy {
^bb0(%from: i32, %to: i32):
  %z = arith.constant 0 : i32
  %c = arith.cmpi ne, %from, %z : i32
  cf.assert %c, "zero"
  omp.yield(%to : i32)
}
func.func @main(%b: i32, %a: i32) -> i32 {
  omp.parallel private(@checked %b -> %x : i32) {
    omp.terminator
  } loc("DEBUG|5|m")
  %d = arith.divsi %a, %b : i32 loc("DEBUG|1|m")
  return %d : i32
}
