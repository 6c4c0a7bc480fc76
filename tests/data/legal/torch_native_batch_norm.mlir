// Training updates the running mean, which the copy reads.
func.func @main(%x: !torch.vtensor, %w: !torch.vtensor, %rm: !torch.tensor, %rv: !torch.tensor, %t: !torch.bool, %f: !torch.float) -> (!torch.vtensor, !torch.vtensor) {
  %v = "torch.copy.to_vtensor"(%rm) : (!torch.tensor) -> !torch.vtensor loc("DEBUG|5|m")
  %y:3 = "torch.aten.native_batch_norm"(%x, %w, %w, %rm, %rv, %t, %f, %f) : (!torch.vtensor, !torch.vtensor, !torch.vtensor, !torch.tensor, !torch.tensor, !torch.bool, !torch.float, !torch.float) -> (!torch.vtensor, !torch.vtensor, !torch.vtensor) loc("DEBUG|1|m")
  return %y#0, %v : !torch.vtensor, !torch.vtensor
}
