// The blocks of the region may loop for ever, and then nothing is divided. No other op of the dump has an effect.
func.func @main(%a: i32, %b: i32, %c: i1) -> i32 {
  scf.execute_region {
    cf.br ^bb1
  ^bb1:
    cf.cond_br %c, ^bb1, ^bb2
  ^bb2:
    scf.yield
  } loc("DEBUG|5|m")
  %x = arith.divsi %a, %b : i32 loc("DEBUG|1|m")
  return %x : i32
}
