// It asks for the rank of the process, which MPI gives only behind mpi.init.
func.func @main() -> index {
  mpi.init loc("DEBUG|5|m")
  %y = shard.process_multi_index on @g axes = [0] : index loc("DEBUG|1|m")
  return %y : index
}
