// The tile is allocated: the second zero clears the register that is stored.
func.func @main(%a: memref<?x?xi32>, %i: index) -> vector<[4]x[4]xi32> {
  %z = arm_sme.zero {tile_id = 0 : i32} : vector<[4]x[4]xi32> loc("DEBUG|0|m")
  arm_sme.tile_store %z, %a[%i, %i] {tile_id = 0 : i32} : memref<?x?xi32>, vector<[4]x[4]xi32> loc("DEBUG|5|m")
  %y = arm_sme.zero {tile_id = 0 : i32} : vector<[4]x[4]xi32> loc("DEBUG|1|m")
  return %y : vector<[4]x[4]xi32>
}
