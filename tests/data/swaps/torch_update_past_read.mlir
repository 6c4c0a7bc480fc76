// #1 may pass #2: fix puts them in order
func.func @main(%t: !torch.tensor, %v: !torch.vtensor<[8],f32>, %k: !torch.vtensor<[2],f32>, %n: !torch.int) -> (!torch.vtensor, !torch.vtensor<[8],f32>) {
  %e = torch.copy.to_vtensor %t : !torch.vtensor loc("DEBUG|2|m")
  %r = torch.aten.slice_scatter %v, %k, %n, %n, %n, %n : !torch.vtensor<[8],f32>, !torch.vtensor<[2],f32>, !torch.int, !torch.int, !torch.int, !torch.int -> !torch.vtensor<[8],f32> loc("DEBUG|1|m")
  return %e, %r : !torch.vtensor, !torch.vtensor<[8],f32>
}
