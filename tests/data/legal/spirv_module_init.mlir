spirv.module Logical GLSL450 {
    spirv.GlobalVariable @a : !spirv.ptr<f32, Private> loc("DEBUG|5|m")
    spirv.GlobalVariable @b initializer(@a) : !spirv.ptr<!spirv.ptr<f32, Private>, Private> loc("DEBUG|1|m")
}
