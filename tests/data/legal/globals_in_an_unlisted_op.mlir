// The same for other symbols, and beside an op that is not listed.
my.table @t {
  memref.global "private" @b : memref<4xf32> loc("DEBUG|5|m")
  my.entry @c loc("DEBUG|1|m")
  my.end
}
