func.func @check(%c: i1) {
    cf.assert %c, "zero"
    return
}
func.func @main(%a: i32, %b: i32, %c: i1) -> i32 {
    call @check(%c) : (i1) -> () loc("DEBUG|5|m")
    %x = arith.divsi %a, %b : i32 loc("DEBUG|1|m")
    return %x : i32
}
