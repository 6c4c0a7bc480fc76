smt.solver() : () -> () {
    smt.push 1 loc("DEBUG|5|m")
    %c = smt.declare_fun "c" : !smt.bool loc("DEBUG|1|m")
    smt.assert %c loc("DEBUG|6|m")
}
