// A function whose indices are shuffled; the stores, the loads and the loop keep their order.
func.func @main(%m: memref<8xf32>, %x: f32, %y: f32, %n: index) -> f32 {
  %c1 = arith.constant 1 : index loc("DEBUG|5|Net[net]|m.py:1|forward|6|constant")
  %0 = arith.addf %x, %y : f32 loc("DEBUG|3|Net[net]|m.py:1|forward|4|add")
  memref.store %0, %m[%c1] : memref<8xf32> loc("DEBUG|2|Net[net]|m.py:1|forward|3|store")
  %1 = memref.load %m[%n] : memref<8xf32> loc("DEBUG|4|Net[net]|m.py:1|forward|5|load")
  scf.for %i = %c1 to %n step %c1 {
    %3 = arith.mulf %1, %x : f32 loc("DEBUG|9|Net[net]|m.py:2|forward|9|mul")
    %2 = arith.addf %1, %y : f32 loc("DEBUG|8|Net[net]|m.py:2|forward|8|add")  // first
    %4 = arith.subf %2, %3 : f32 loc("DEBUG|10|Net[net]|m.py:2|forward|10|sub")
    memref.store %4, %m[%i] : memref<8xf32> loc("DEBUG|11|Net[net]|m.py:2|forward|11|store")
  } loc("DEBUG|7|Net[net]|m.py:2|forward|7|for")
  memref.store %1, %m[%n] : memref<8xf32> loc("DEBUG|12|Net[net]|m.py:3|forward|12|store")
  %5 = arith.mulf %x, %x : f32 loc("DEBUG|1|Net[net]|m.py:1|forward|2|mul")
  return %5 : f32 loc("DEBUG|13|Net[net]|m.py:3|forward|13|return")
}
