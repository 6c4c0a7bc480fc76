// A step runs the processes of the model, which may print.
func.func @main() {
  arc.sim.instantiate @a as %m {
    func.call @prints() : () -> () loc("DEBUG|5|m")
    arc.sim.step %m : !arc.sim.instance<@a> loc("DEBUG|1|m")
  }
  return
}
func.func private @prints()
