func.func @main(%a: i32, %b: i32) -> i32 {
    %z = arith.constant 0 : i32 loc("DEBUG|0|m")
    %c = arith.cmpi ne, %b, %z : i32 loc("DEBUG|0|m")
    cf.assert %c, "zero" loc("DEBUG|5|m")
    %x = arith.remui %a, %b : i32 loc("DEBUG|1|m")
    return %x : i32
}
