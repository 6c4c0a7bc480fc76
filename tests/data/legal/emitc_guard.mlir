// The constructor of the variable takes a lock, and the global is read behind that.
#guard = #emitc.opaque<"mutex">
emitc.global extern @shared : i32
emitc.func @f() -> i32 {
  %g = emitc.get_global @shared : !emitc.lvalue<i32> loc("DEBUG|0|m")
  %l = "emitc.variable"() <{value = #guard}> : () -> !emitc.lvalue<!emitc.opaque<"Guard">> loc("DEBUG|5|m")
  %x = emitc.load %g : !emitc.lvalue<i32> loc("DEBUG|1|m")
  emitc.return %x : i32
}
