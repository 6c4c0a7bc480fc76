spirv.module Logical GLSL450 {
    spirv.SpecConstant @a = 1 : i32 loc("DEBUG|5|m")
    spirv.SpecConstantComposite @b (@a, @a) : vector<2xi32> loc("DEBUG|1|m")
}
