smt.solver() : () -> () {
    %c = smt.constant true loc("DEBUG|0|m")
    smt.assert %c loc("DEBUG|5|m")
    smt.push 1 loc("DEBUG|1|m")
}
