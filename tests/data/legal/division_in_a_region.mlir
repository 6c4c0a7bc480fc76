func.func private @may_exit(i32)
func.func @main(%a: i32, %b: i32, %c: i1) -> i32 {
    func.call @may_exit(%b) : (i32) -> () loc("DEBUG|5|m")
    %x = scf.if %c -> (i32) {
      %q = arith.divui %a, %b : i32
      scf.yield %q : i32
    } else {
      scf.yield %a : i32
    } loc("DEBUG|1|m")
    return %x : i32
}
