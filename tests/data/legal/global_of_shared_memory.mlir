// Dynamic shared memory begins at one address, whatever its name.
memref.global "private" @a : memref<0xi8, 3>
memref.global "private" @b : memref<0xi8, 3>
func.func @main(%f: i8, %i: index) -> (i8) {
  %ma = memref.get_global @a : memref<0xi8, 3>
  %nb = memref.get_global @b : memref<0xi8, 3>
  %s = memref.reinterpret_cast %ma to offset: [0], sizes: [4], strides: [1] : memref<0xi8, 3> to memref<4xi8, strided<[1]>, 3>
  %t = memref.reinterpret_cast %nb to offset: [0], sizes: [4], strides: [1] : memref<0xi8, 3> to memref<4xi8, strided<[1]>, 3>
  memref.store %f, %s[%i] : memref<4xi8, strided<[1]>, 3> loc("DEBUG|5|m")
  %q = memref.load %t[%i] : memref<4xi8, strided<[1]>, 3> loc("DEBUG|1|m")
  return %q : i8
}
