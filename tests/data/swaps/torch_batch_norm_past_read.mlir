// #1 may pass #2: fix puts them in order
func.func @main(%x: !torch.tensor, %w: !torch.tensor, %rm: !torch.tensor, %rv: !torch.tensor, %f: !torch.float) -> (!torch.tensor, !torch.vtensor) {
  %false = torch.constant.bool false
  %v = torch.copy.to_vtensor %rv : !torch.vtensor loc("DEBUG|2|m")
  %y = torch.aten.batch_norm %x, %w, %w, %rm, %rv, %false, %f, %f, %false : !torch.tensor, !torch.tensor, !torch.tensor, !torch.tensor, !torch.tensor, !torch.bool, !torch.float, !torch.float, !torch.bool -> !torch.tensor loc("DEBUG|1|m")
  return %y, %v : !torch.tensor, !torch.vtensor
}
