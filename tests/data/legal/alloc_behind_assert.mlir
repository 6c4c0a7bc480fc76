func.func @main(%n: index, %ok: i1) -> memref<?xf32> {
    cf.assert %ok, "n > 0" loc("DEBUG|5|m")
    %m = memref.alloc(%n) : memref<?xf32> loc("DEBUG|1|m")
    return %m : memref<?xf32>
}
