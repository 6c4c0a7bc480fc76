// Another thread may print behind the barrier.
func.func @main(%x: f32) {
  gpu.printf "%f", %x : f32 loc("DEBUG|5|m")
  omp.workshare { omp.terminator } loc("DEBUG|1|m")
  return
}
