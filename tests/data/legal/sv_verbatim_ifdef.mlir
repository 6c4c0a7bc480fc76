// The text ends a part that only some tools read, and the op is printed as a statement.
hw.module @m(in %a: i8, in %b: i8) {
  sv.initial {
    sv.verbatim "`ifdef SIMULATION" loc("DEBUG|0|m")
    sv.verbatim "`endif" loc("DEBUG|5|m")
    %s = arith.addi %a, %b : i8 loc("DEBUG|1|m")
    "sv.fwrite"(%s) : (i8) -> ()
  }
}
