// Until 2023 the k-th scf.reduce of scf.parallel gave its k-th result.
func.func @main(%n: index, %z: f32, %x: f32, %y: f32) -> (f32, f32) {
  %r:2 = scf.parallel (%i) = (%n) to (%n) step (%n) init (%z, %z) -> (f32, f32) {
    scf.reduce(%x) : f32 {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    } loc("DEBUG|5|m")
    scf.reduce(%y) : f32 {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    } loc("DEBUG|1|m")
    scf.yield
  }
  return %r#0, %r#1 : f32, f32
}
