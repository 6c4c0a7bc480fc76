// The initializers and finalizers of both models run there and may print.
func.func @main() {
  func.call @second() : () -> () loc("DEBUG|5|m")
  arc.sim.instantiate @a as %m { } loc("DEBUG|1|m")
  return
}
func.func @second() {
  arc.sim.instantiate @b as %n { }
  return
}
