func.func @main(%a: i32, %b: i32, %c: i1) -> i32 {
    scf.while : () -> () {
      scf.condition(%c)
    } do {
      scf.yield
    } loc("DEBUG|5|m")
    %x = arith.divsi %a, %b : i32 loc("DEBUG|1|m")
    return %x : i32
}
