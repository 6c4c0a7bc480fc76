// Both update the running statistics.
func.func @main(%x: !torch.tensor, %w: !torch.tensor, %rm: !torch.tensor, %rv: !torch.tensor, %f: !torch.float) -> (!torch.tensor, !torch.tensor) {
  %true = torch.constant.bool true
  %y = torch.aten.batch_norm %x, %w, %w, %rm, %rv, %true, %f, %f, %true : !torch.tensor, !torch.tensor, !torch.tensor, !torch.tensor, !torch.tensor, !torch.bool, !torch.float, !torch.float, !torch.bool -> !torch.tensor loc("DEBUG|5|m")
  %z = torch.aten.batch_norm %x, %w, %w, %rm, %rv, %true, %f, %f, %true : !torch.tensor, !torch.tensor, !torch.tensor, !torch.tensor, !torch.tensor, !torch.bool, !torch.float, !torch.float, !torch.bool -> !torch.tensor loc("DEBUG|1|m")
  return %y, %z : !torch.tensor, !torch.tensor
}
