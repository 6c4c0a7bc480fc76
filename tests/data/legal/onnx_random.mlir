// Both draw from the state of a generator.
func.func @main() -> (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>) {
  %p = torch.operator "onnx.RandomNormal"() {torch.onnx.shape = [4 : si64]} : () -> !torch.vtensor<[4],f32> loc("DEBUG|5|m")
  %q = torch.operator "onnx.RandomNormal"() {torch.onnx.shape = [4 : si64]} : () -> !torch.vtensor<[4],f32> loc("DEBUG|1|m")
  return %p, %q : !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>
}
