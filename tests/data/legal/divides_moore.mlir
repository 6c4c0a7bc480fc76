// By zero it may trap. The type of another dialect is not known to be a float.
func.func @main(%c: i1, %a: !moore.i32, %b: !moore.i32) -> !moore.i32 {
  cf.assert %c, "zero" loc("DEBUG|5|m")
  %r = moore.modu %a, %b : !moore.i32 loc("DEBUG|1|m")
  return %r : !moore.i32
}
