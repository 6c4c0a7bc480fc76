// The initializers and finalizers of both models run there and may print.
func.func @main() {
  arc.sim.instantiate @a as %m { } loc("DEBUG|5|m")
  arc.sim.instantiate @b as %n { } loc("DEBUG|1|m")
  return
}
