// Training updates the running mean, which the copy reads.
func.func @main(%x: !torch.tensor, %w: !torch.tensor, %rm: !torch.tensor, %rv: !torch.tensor, %t: !torch.bool, %f: !torch.float) -> (!torch.tensor, !torch.vtensor) {
  %y = "torch.aten.batch_norm"(%x, %w, %w, %rm, %rv, %t, %f, %f, %t) : (!torch.tensor, !torch.tensor, !torch.tensor, !torch.tensor, !torch.tensor, !torch.bool, !torch.float, !torch.float, !torch.bool) -> !torch.tensor loc("DEBUG|5|m")
  %v = "torch.copy.to_vtensor"(%rm) : (!torch.tensor) -> !torch.vtensor loc("DEBUG|1|m")
  return %y, %v : !torch.tensor, !torch.vtensor
}
