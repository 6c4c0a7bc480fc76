emitc.func @main(%a: i32) -> i32 {
    %p = "emitc.get_global"() <{name = @g}> : () -> !emitc.lvalue<i32> loc("DEBUG|0|m")
    %q = "emitc.get_global"() <{name = @g}> : () -> !emitc.lvalue<i32> loc("DEBUG|0|m")
    %x = "emitc.load"(%q) : (!emitc.lvalue<i32>) -> i32 loc("DEBUG|5|m")
    "emitc.assign"(%p, %a) : (!emitc.lvalue<i32>, i32) -> () loc("DEBUG|1|m")
    emitc.return %x : i32
}
