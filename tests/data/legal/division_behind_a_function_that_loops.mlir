func.func @loops(%c: i1) {
    cf.br ^bb1
  ^bb1:
    cf.cond_br %c, ^bb1, ^bb2
  ^bb2:
    return
}
func.func @main(%a: i32, %b: i32, %c: i1) -> i32 {
    call @loops(%c) : (i1) -> () loc("DEBUG|5|m")
    %x = arith.divsi %a, %b : i32 loc("DEBUG|1|m")
    return %x : i32
}
