// Until 2023 the k-th scf.reduce of scf.parallel gave its k-th result. The terminator is not shown.
func.func @main(%n: index, %z: f32, %x: f32, %y: f32) -> (f32, f32, f32) {
  %r:3 = scf.parallel (%i) = (%n) to (%n) step (%n) init (%z, %z, %z) -> (f32, f32, f32) {
    scf.reduce(%x) : f32 {
    ^bb0(%a: f32, %b: f32):
      scf.reduce.return %a : f32
    } loc("DEBUG|5|m")
    scf.reduce(%y) : f32 {
    ^bb0(%a: f32, %b: f32):
      scf.reduce.return %b : f32
    } loc("DEBUG|1|m")
    scf.reduce(%x) : f32 {
    ^bb0(%a: f32, %b: f32):
      scf.reduce.return %b : f32
    } loc("DEBUG|7|m")
  }
  return %r#0, %r#1, %r#2 : f32, f32, f32
}
