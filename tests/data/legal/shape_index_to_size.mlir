// "The behavior is undefined for negative indices", and the assertion excludes them.
func.func @main(%i: index, %c: i1) -> !shape.size {
  cf.assert %c, "negative" loc("DEBUG|5|m")
  %s = shape.index_to_size %i loc("DEBUG|1|m")
  return %s : !shape.size
}
