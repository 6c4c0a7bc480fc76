llvm.mlir.global internal constant @s("foo\00") {addr_space = 0 : i32}
llvm.mlir.global external local_unnamed_addr @g() : i32
llvm.mlir.global private unnamed_addr constant @h(3 : i32) {alignment = 4 : i64} : i32
llvm.func spir_funccc @callee(%a: i32) -> i32 {
  llvm.return %a : i32
}
// -----
llvm.func @pers(...) -> i32
llvm.func @foo(i32) -> i32
llvm.func tailcc @tfoo(i32) -> i32
llvm.func @m(%p: !llvm.ptr, %v: i32, %f: f32, %c: i1) -> i32 attributes {personality = @pers} {
  %z = llvm.mlir.zero : !llvm.ptr
  %0 = llvm.atomicrmw add %p, %v monotonic : !llvm.ptr, i32
  %1 = llvm.atomicrmw volatile xchg %p, %v syncscope("singlethread") seq_cst {alignment = 4 : i64} : !llvm.ptr, i32
  %2 = llvm.cmpxchg weak volatile %p, %v, %v syncscope("agent") acq_rel monotonic : !llvm.ptr, i32
  llvm.fence seq_cst
  llvm.fence syncscope("agent") acquire
  %3 = llvm.load volatile %p atomic monotonic {alignment = 4 : i64} : !llvm.ptr -> i32
  llvm.store volatile %v, %p atomic release {alignment = 4 : i64} : i32, !llvm.ptr
  %4 = llvm.icmp "slt" %v, %v : i32
  %5 = llvm.fcmp "oeq" %f, %f : f32
  %6 = llvm.add %v, %v overflow<nsw, nuw> : i32
  %7 = llvm.fadd %f, %f {fastmathFlags = #llvm.fastmath<fast>} : f32
  %8 = llvm.or disjoint %v, %v : i32
  %9 = llvm.lshr exact %v, %v : i32
  %10 = llvm.trunc %v overflow<nsw> : i32 to i8
  %11 = llvm.getelementptr inbounds %p[%v] : (!llvm.ptr, i32) -> !llvm.ptr, i32
  %12 = llvm.alloca %v x f32 {alignment = 4 : i64} : (i32) -> !llvm.ptr
  %13 = llvm.mlir.constant(1 : i32) : i32
  %14 = llvm.call @foo(%v) {fastmathFlags = #llvm.fastmath<fast>} : (i32) -> i32
  %15 = llvm.call tailcc @tfoo(%v) : (i32) -> i32
  %16 = llvm.call %p(%v) : !llvm.ptr, (i32) -> i32
  %17 = llvm.inline_asm has_side_effects is_align_stack asm_dialect = att "foo $0, $1", "=r,r" %v : (i32) -> i32
  %18 = llvm.call_intrinsic "llvm.smax"(%v, %v) : (i32, i32) -> i32
  %20 = llvm.select %c, %v, %v : i1, i32
  %21 = llvm.mlir.undef : !llvm.struct<(i32, f32)>
  %22 = llvm.insertvalue %v, %21[0] : !llvm.struct<(i32, f32)>
  %23 = llvm.extractvalue %22[0] : !llvm.struct<(i32, f32)>
  llvm.switch %v : i32, ^bb3(%v : i32) [
    1: ^bb3(%v : i32),
    2: ^bb1
  ]
^bb1:
  %24 = llvm.invoke @foo(%v) to ^bb3(%v : i32) unwind ^bb2 : (i32) -> i32
^bb2:
  %25 = llvm.landingpad cleanup (catch %z : !llvm.ptr) : !llvm.struct<(ptr, i32)>
  llvm.cond_br %c weights([1, 2]), ^bb3(%v : i32), ^bb4
^bb3(%x: i32):
  llvm.br ^bb4
^bb4:
  llvm.return %v : i32
}
// -----
func.func @a(%p: i32, %q: i32, %f: f32, %g: f32, %m: memref<4xi32>, %n: memref<4xi32>, %i: index, %t: tensor<4xf32>, %v: vector<4xf32>, %c: i1) -> i32 {
  %0 = arith.addi %p, %q overflow<nsw, nuw> : i32
  %1 = arith.cmpi slt, %p, %q : i32
  %2 = arith.addf %f, %g fastmath<fast> : f32
  %3 = arith.cmpf olt, %f, %g fastmath<nnan> : f32
  %4 = arith.constant true
  %5 = arith.constant 1 : i32
  %6 = arith.index_cast %i : index to i32
  %7 = arith.truncf %f to_nearest_even : f32 to f16
  %8 = arith.select %c, %p, %q : i32
  %9 = memref.atomic_rmw addi %p, %m[%i] : (i32, memref<4xi32>) -> i32
  %10 = memref.generic_atomic_rmw %m[%i] : memref<4xi32> {
  ^bb0(%cur: i32):
    memref.atomic_yield %cur : i32
  }
  memref.copy %m, %n : memref<4xi32> to memref<4xi32>
  memref.prefetch %m[%i], write, locality<3>, data : memref<4xi32>
  %11 = memref.reinterpret_cast %m to offset: [0], sizes: [4], strides: [1] : memref<4xi32> to memref<4xi32>
  %12 = memref.subview %m[%i] [2] [1] : memref<4xi32> to memref<2xi32, strided<[1], offset: ?>>
  %13 = memref.load %m[%i] {nontemporal = true} : memref<4xi32>
  memref.store %p, %m[%i] : memref<4xi32>
  memref.assume_alignment %m, 16 : memref<4xi32>
  %14 = tensor.extract_slice %t[%i] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %15 = tensor.insert_slice %14 into %t[%i] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %16 = tensor.pad %t low[1] high[2] {
  ^bb0(%j: index):
    tensor.yield %f : f32
  } : tensor<4xf32> to tensor<7xf32>
  %17 = tensor.expand_shape %t [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  %18 = tensor.collapse_shape %17 [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
  %19 = tensor.empty() : tensor<4xf32>
  %20 = tensor.generate %i {
  ^bb0(%j: index):
    tensor.yield %f : f32
  } : tensor<?xf32>
  %21 = vector.extract %v[0] : f32 from vector<4xf32>
  %22 = vector.insert %f, %v [0] : f32 into vector<4xf32>
  %23 = vector.reduction <add>, %v, %f fastmath<fast> : vector<4xf32> into f32
  %24 = vector.broadcast %f : f32 to vector<4xf32>
  vector.print %v : vector<4xf32> punctuation <newline>
  vector.print str "x"
  %25 = vector.transfer_read %t[%i], %f {in_bounds = [true]} : tensor<4xf32>, vector<4xf32>
  %26 = vector.create_mask %i : vector<4xi1>
  %27 = vector.mask %26 { vector.reduction <add>, %v : vector<4xf32> into f32 } : vector<4xi1> -> f32
  %28 = vector.contract {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"], kind = #vector.kind<add>} %v, %v, %f : vector<4xf32>, vector<4xf32> into f32
  %29 = vector.shuffle %v, %v [0, 1, 2, 7] : vector<4xf32>, vector<4xf32>
  return %p : i32
}
// -----
func.func @b(%p: i32, %f: f32, %m: memref<4x4xf32>, %i: index, %t: tensor<4xf32>, %c: i1, %n: index) -> f32 {
  %0 = scf.for %j = %i to %n step %n iter_args(%a = %f) -> (f32) {
    scf.yield %a : f32
  }
  %1 = scf.for unsigned %j = %p to %p step %p iter_args(%a = %f) -> (f32) : i32 {
    scf.yield %a : f32
  } {tag}
  %2 = scf.while (%a = %f) : (f32) -> f32 {
    scf.condition(%c) %a : f32
  } do {
  ^bb0(%b: f32):
    scf.yield %b : f32
  } attributes {x}
  %3 = scf.if %c -> f32 {
    scf.yield %f : f32
  } else {
    scf.yield %f : f32
  } {x}
  %4 = scf.index_switch %i -> f32
  case 2 {
    scf.yield %f : f32
  }
  case 5 {
    scf.yield %f : f32
  }
  default {
    scf.yield %f : f32
  }
  %5 = scf.parallel (%j) = (%i) to (%n) step (%n) init (%f) -> f32 {
    scf.reduce(%f : f32) {
    ^bb0(%l: f32, %r: f32):
      scf.reduce.return %l : f32
    }
  }
  %6 = scf.forall (%j) in (%n) shared_outs(%o = %t) -> (tensor<4xf32>) {
    %e = tensor.extract_slice %t[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %e into %o[0] [2] [1] : tensor<2xf32> into tensor<4xf32>
    }
  } {mapping = [#gpu.thread<x>]}
  affine.for %j = 0 to 4 step 2 {
    affine.store %f, %m[%j, %j + 1] : memref<4x4xf32>
  }
  affine.for %j = max affine_map<(d0) -> (d0, 0)>(%i) to min affine_map<(d0)[s0] -> (d0, s0)>(%i)[%n] {
    %x = affine.load %m[%j, 0] : memref<4x4xf32>
  }
  %7 = affine.for %j = 0 to %n iter_args(%a = %f) -> (f32) {
    affine.yield %a : f32
  }
  %8 = affine.min affine_map<(d0)[s0] -> (d0, s0)>(%i)[%n]
  %9 = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
  affine.if affine_set<(d0) : (d0 >= 0)>(%i) {
    affine.prefetch %m[%i, 0], read, locality<3>, data : memref<4x4xf32>
  } else {
  }
  affine.parallel (%j, %k) = (0, 0) to (4, 4) step (2, 2) {
  }
  %10 = affine.parallel (%j) = (0) to (4) reduce ("addf") -> f32 {
    affine.yield %f : f32
  }
  cf.assert %c, "message"
  %11 = affine.vector_load %m[%i, %i] : memref<4x4xf32>, vector<4xf32>
  cf.switch %p : i32, [
    default: ^bb1(%f : f32),
    42: ^bb2
  ]
^bb1(%x: f32):
  cf.cond_br %c weights([1, 2]), ^bb2, ^bb1(%f : f32)
^bb2:
  cf.br ^bb3
^bb3:
  return %f : f32
}
// -----
func.func @l(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %m: memref<4xf32>, %t: tensor<4xf32>, %f: f32) -> tensor<4x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%a : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<4x4xf32>) outs(%b : tensor<4x4xf32>) attrs = {x} {
  ^bb0(%x: f32, %y: f32):
    %i = linalg.index 0 : index
    linalg.yield %x : f32
  } -> tensor<4x4xf32>
  linalg.fill ins(%f : f32) outs(%m : memref<4xf32>)
  %2 = linalg.transpose ins(%a : tensor<4x4xf32>) outs(%b : tensor<4x4xf32>) permutation = [1, 0]
  %3 = linalg.broadcast ins(%t : tensor<4xf32>) outs(%b : tensor<4x4xf32>) dimensions = [1]
  %4 = linalg.reduce ins(%a : tensor<4x4xf32>) outs(%t : tensor<4xf32>) dimensions = [1] (%in: f32, %init: f32) {
    %s = arith.addf %in, %init : f32
    linalg.yield %s : f32
  }
  %5 = linalg.reduce { arith.addf } ins(%a : tensor<4x4xf32>) outs(%t : tensor<4xf32>) dimensions = [1]
  %6 = linalg.map { arith.addf } ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%b : tensor<4x4xf32>)
  %7 = linalg.map ins(%a : tensor<4x4xf32>) outs(%b : tensor<4x4xf32>) (%x: f32, %o: f32) {
    linalg.yield %x : f32
  }
  %8 = linalg.softmax dimension(1) ins(%a : tensor<4x4xf32>) outs(%b : tensor<4x4xf32>) -> tensor<4x4xf32>
  %e = tensor.empty() : tensor<2x2x2x2xf32>
  %9 = linalg.pack %a inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %e : tensor<4x4xf32> -> tensor<2x2x2x2xf32>
  %10 = linalg.unpack %9 outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %a : tensor<2x2x2x2xf32> -> tensor<4x4xf32>
  %11 = linalg.elementwise kind=#linalg.elementwise_kind<exp> ins(%a : tensor<4x4xf32>) outs(%b : tensor<4x4xf32>) -> tensor<4x4xf32>
  %12 = bufferization.alloc_tensor() copy(%t) : tensor<4xf32>
  %13 = bufferization.to_tensor %m restrict writable : memref<4xf32> to tensor<4xf32>
  bufferization.materialize_in_destination %t in restrict writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
  %14 = bufferization.to_buffer %t read_only : tensor<4xf32> to memref<4xf32>
  return %0 : tensor<4x4xf32>
}
// -----
gpu.module @k {
  gpu.func @f(%a: f32, %m: memref<4xf32>) workgroup(%w: memref<4xf32, 3>) private(%q: memref<1xf32, 5>) kernel {
    %0 = gpu.thread_id x
    %1 = gpu.block_dim y upper_bound 64
    %2 = gpu.all_reduce add %a uniform {} : (f32) -> f32
    %o = arith.constant 1 : i32
    %3, %4 = gpu.shuffle xor %a, %o, %o : f32
    %5 = gpu.subgroup_reduce add %a uniform cluster(size = 4) : (f32) -> f32
    gpu.barrier
    %6 = gpu.lane_id
    gpu.printf "x %f", %a : f32
    gpu.return
  }
}
// -----
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @f(%a: f32) kernel {
      gpu.return
    }
  }
  func.func @h(%n: index, %f: f32, %s: i32, %m: memref<4xf32>, %m2: memref<4xf32>) {
    %t = gpu.wait async
    %u = gpu.wait async [%t]
    gpu.launch_func @k::@f blocks in (%n, %n, %n) threads in (%n, %n, %n) dynamic_shared_memory_size %s args(%f : f32)
    %v = gpu.launch_func async [%t, %u] @k::@f clusters in (%n, %n, %n) blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%f : f32)
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
      gpu.terminator
    }
    %w = gpu.memcpy async [%v] %m, %m2 : memref<4xf32>, memref<4xf32>
    %a, %b = gpu.alloc async [%w] host_shared (%n) : memref<?xf32>
    gpu.dealloc %a : memref<?xf32>
    gpu.wait [%b]
    return
  }
}
// -----
omp.declare_reduction @add : i32 init {
^bb0(%arg: i32):
  %0 = arith.constant 0 : i32
  omp.yield (%0 : i32)
}
combiner {
^bb1(%a: i32, %b: i32):
  %1 = arith.addi %a, %b : i32
  omp.yield (%1 : i32)
}
omp.private {type = firstprivate} @p : i32 copy {
^bb0(%a: !llvm.ptr, %b: !llvm.ptr):
  omp.yield(%b : !llvm.ptr)
}
omp.critical.declare @mutex hint(contended, speculative)
func.func @o(%n: i32, %c: i1, %p: !llvm.ptr, %q: !llvm.ptr, %m: memref<1xi32>) {
  omp.parallel if(%c) num_threads(%n : i32) proc_bind(close) {
    omp.wsloop nowait schedule(static = %n : i32, simd) private(@p %p -> %x : !llvm.ptr) reduction(@add %q -> %r : !llvm.ptr) {
      omp.loop_nest (%i, %j) : i32 = (%n, %n) to (%n, %n) inclusive step (%n, %n) {
        omp.yield
      }
    }
    omp.barrier
    omp.critical(@mutex) {
      omp.terminator
    }
    omp.single nowait {
      omp.terminator
    }
    omp.sections nowait {
      omp.section {
        omp.terminator
      }
      omp.terminator
    }
    omp.terminator
  }
  omp.parallel private(@p %p -> %x : !llvm.ptr) {
    omp.terminator
  }
  omp.atomic.read %p = %q memory_order(acquire) hint(speculative) : !llvm.ptr, !llvm.ptr, i32
  omp.atomic.write %p = %n memory_order(release) : !llvm.ptr, i32
  omp.atomic.update memory_order(relaxed) %p : !llvm.ptr {
  ^bb0(%v: i32):
    omp.yield(%v : i32)
  }
  %mi = omp.map.info var_ptr(%m : memref<1xi32>, memref<1xi32>) map_clauses(tofrom) capture(ByRef) -> memref<1xi32> {name = "m"}
  omp.target map_entries(%mi -> %arg0 : memref<1xi32>) {
    omp.terminator
  }
  omp.task if(%c) untied mergeable {
    omp.terminator
  }
  omp.taskwait
  omp.flush(%p : !llvm.ptr)
  return
}
// -----
acc.private.recipe @pr : memref<10xf32> init {
^bb0(%a: memref<10xf32>):
  %0 = memref.alloc() : memref<10xf32>
  acc.yield %0 : memref<10xf32>
} destroy {
^bb0(%a: memref<10xf32>):
  memref.dealloc %a : memref<10xf32>
  acc.terminator
}
func.func @acc(%m: memref<10xf32>, %n: index, %i: i64) {
  %d = acc.copyin varPtr(%m : memref<10xf32>) -> memref<10xf32> {name = "m"}
  %p = acc.private varPtr(%m : memref<10xf32>) recipe(@pr) -> memref<10xf32>
  acc.parallel dataOperands(%d : memref<10xf32>) async(%i : i64) num_gangs({%i : i64}) private(%p : memref<10xf32>) {
    acc.loop gang({num=%i : i64}) vector worker private(%p : memref<10xf32>) control(%k : index) = (%n : index) to (%n : index) step (%n : index) {
      acc.yield
    } attributes {inclusiveUpperbound = array<i1: true>, independent = [#acc.device_type<none>]}
    acc.yield
  }
  acc.copyout accPtr(%d : memref<10xf32>) to varPtr(%m : memref<10xf32>)
  acc.wait(%i : i64) async(%i : i64)
  acc.data dataOperands(%d : memref<10xf32>) {
    acc.terminator
  }
  return
}
// -----
spirv.module Logical GLSL450 requires #spirv.vce<v1.0, [Shader], []> {
  spirv.GlobalVariable @v bind(0, 0) : !spirv.ptr<f32, Uniform>
  spirv.GlobalVariable @b built_in("GlobalInvocationId") : !spirv.ptr<vector<3xi32>, Input>
  spirv.SpecConstant @sc spec_id(5) = 4 : i32
  spirv.func @f(%a: i32, %c: i1) -> i32 "None" {
    %0 = spirv.Variable : !spirv.ptr<i32, Function>
    %1 = spirv.Load "Function" %0 ["Aligned", 4] : i32
    spirv.Store "Function" %0, %1 : i32
    %2 = spirv.Constant 1 : i32
    %3 = spirv.IAdd %1, %2 : i32
    %4 = spirv.AtomicIAdd <Device> <None> %0, %2 : !spirv.ptr<i32, Function>
    spirv.mlir.selection control(Flatten) {
      spirv.BranchConditional %c [1, 2], ^bb1, ^bb2
    ^bb1:
      spirv.Branch ^bb2
    ^bb2:
      spirv.mlir.merge
    }
    %5 = spirv.FunctionCall @f(%a, %c) : (i32, i1) -> i32
    spirv.ControlBarrier <Workgroup>, <Device>, <Acquire|UniformMemory>
    spirv.ReturnValue %3 : i32
  }
  spirv.EntryPoint "GLCompute" @f, @b
  spirv.ExecutionMode @f "LocalSize", 1, 1, 1
}
// -----
pdl.pattern @x : benefit(1) {
  %0 = attribute = 3 : i32
  %1 = type : i32
  %2 = operand : %1
  %3 = operation "foo.op"(%2 : !pdl.value) {"a" = %0} -> (%1 : !pdl.type)
  %4 = result 0 of %3
  apply_native_constraint "c"(%3 : !pdl.operation)
  rewrite %3 {
    %5 = operation "bar.op"(%2 : !pdl.value) -> (%1 : !pdl.type)
    %6 = apply_native_rewrite "n"(%5 : !pdl.operation) : !pdl.value
    replace %3 with %5
  }
}
// -----
pdl.pattern @y : benefit(1) {
  %3 = operation "foo.op"
  rewrite %3 with "rewriter"(%3 : !pdl.operation)
}
// -----
pdl.pattern @z : benefit(1) {
  %3 = operation
  rewrite %3 {
    erase %3
  }
}
// -----
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%a: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %0 = transform.structured.match ops{["linalg.matmul"]} attributes{x} in %a : (!transform.any_op) -> !transform.any_op
    %1, %l:2 = transform.structured.tile_using_for %0 tile_sizes [4, 8] interchange = [1, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.foreach %0 : !transform.any_op {
    ^bb0(%b: !transform.any_op):
      %2 = transform.get_parent_op %b {op_name = "func.func"} : (!transform.any_op) -> !transform.any_op
    }
    %3 = transform.param.constant 2 : i32 -> !transform.param<i32>
    transform.apply_patterns to %a {
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    %4 = transform.apply_registered_pass "canonicalize" to %1 : (!transform.any_op) -> !transform.any_op
    transform.include @other failures(propagate) (%a) : (!transform.any_op) -> ()
    transform.yield %a : !transform.any_op
  }
  transform.named_sequence @other(%a: !transform.any_op {transform.readonly}) {
    transform.yield
  }
}
// -----
transform.sequence failures(propagate) {
^bb0(%a: !transform.any_op):
  %0 = transform.structured.match ops{["linalg.matmul"]} in %a : (!transform.any_op) -> !transform.any_op
  sequence %a : !transform.any_op failures(suppress) {
  ^bb1(%b: !transform.any_op):
  }
}
// -----
emitc.global extern @x : i32
emitc.include <"stdio.h">
emitc.func private @e(i32) -> i32 attributes {specifiers = ["extern"]}
emitc.func @f(%a: i32, %b: index, %p: !emitc.ptr<i32>) -> i32 {
  %0 = emitc.call_opaque "g"(%a) {args = [0 : index, 3 : i32]} : (i32) -> i32
  %1 = emitc.expression %a : (i32) -> i32 {
    %2 = add %a, %a : (i32, i32) -> i32
    yield %2 : i32
  }
  %c = emitc.cmp eq, %a, %a : (i32, i32) -> i1
  emitc.for %i = %b to %b step %b {
    %3 = emitc.call @e(%a) : (i32) -> i32
  }
  emitc.if %c {
    emitc.verbatim "x {}" args %a : i32
  } else {
    emitc.verbatim "y"
  }
  %v = "emitc.variable"() <{value = #emitc.opaque<"">}> : () -> !emitc.lvalue<i32>
  emitc.assign %a : i32 to %v : <i32>
  return %a : i32
}
// -----
func.func @as(%f: f32, %n: index) {
  %t = async.execute {
    async.yield
  }
  %u, %r = async.execute [%t] -> !async.value<f32> {
    async.yield %f : f32
  }
  %w, %w2 = async.execute [%t] (%r as %x: !async.value<f32>) -> !async.value<f32> {
    async.yield %x : f32
  }
  async.await %t : !async.token
  %g = async.create_group %n : !async.group
  %k = async.add_to_group %t, %g : !async.token
  return
}
ml_program.global private mutable @gv(dense<4> : tensor<4xi32>) : tensor<4xi32>
memref.global "private" constant @mg : memref<2xf32> = dense<[1.0, 2.0]> {alignment = 16}
memref.global "public" @mu : memref<2xf32> = uninitialized
irdl.dialect @d {
  irdl.type @t {
    %0 = irdl.any
    %1 = irdl.is i32
    %2 = irdl.any_of(%0, %1)
    irdl.parameters(a: %2)
  }
}
shape.function_library @lib {
  func @same(%arg: !shape.value_shape) -> !shape.shape {
    %0 = shape_of %arg : !shape.value_shape -> !shape.shape
    return %0 : !shape.shape
  }
} mapping {
  foo.bar = @same
}
// -----
func.func @nv(%a: memref<4x4xf32>, %b: memref<4x4xf32, 3>, %i: index, %p: !llvm.ptr, %s: i32) {
  %0 = nvgpu.device_async_copy %a[%i, %i], %b[%i, %i], 4 : memref<4x4xf32> to memref<4x4xf32, 3>
  %1 = nvgpu.device_async_create_group %0
  nvgpu.device_async_wait %1 {numGroups = 1 : i32}
  nvvm.barrier id = %s number_of_threads = %s
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}
  %2 = nvvm.shfl.sync bfly %s, %s, %s, %s : i32 -> i32
  %3 = nvvm.read.ptx.sreg.tid.x range <i32, 0, 64> : i32
  %4 = rocdl.workitem.id.x range <i32, 0, 64> : i32
  amdgpu.lds_barrier
  return
}
// -----
func.func @sp(%t: tensor<4xf32, #sparse_tensor.encoding<{map = (d0) -> (d0 : compressed)}>>, %f: f32) -> f32 {
  %r = sparse_tensor.foreach in %t init(%f) : tensor<4xf32, #sparse_tensor.encoding<{map = (d0) -> (d0 : compressed)}>>, f32 -> f32 do {
  ^bb0(%i: index, %v: f32, %s: f32):
    sparse_tensor.yield %s : f32
  }
  %b = sparse_tensor.binary %f, %f : f32, f32 to f32 overlap={
  ^bb0(%x: f32, %y: f32):
    sparse_tensor.yield %x : f32
  } left=identity right={}
  %u = sparse_tensor.unary %f : f32 to f32 present={
  ^bb0(%x: f32):
    sparse_tensor.yield %x : f32
  } absent={}
  return %r : f32
}
// -----
#loc = loc("a")
#loc1 = loc(fused<"m">[#loc, "b":1:2])
!pair = tuple<i32, f32>
#map = affine_map<(d0) -> (d0)>
func.func @loc(%a: f32 loc("a"), %n: index {my.x} loc(#loc), %c: i1 loc(unknown)) -> f32 {
  affine.for %i = 0 to 4 {
  } loc(#loc1)
  %0 = scf.for %i = %n to %n step %n iter_args(%s = %a) -> (f32) {
    scf.yield %s : f32 loc("y")
  } loc(callsite("x" at fused["y", "z":1:2]))
  %1 = arith.addf %a, %a fastmath<fast> : f32 loc(fused["DEBUG|1|m", #loc])
  %2:2 = "my.two"(%1) ({
  ^bb0(%x: f32 loc("x"), %y: !pair):
    "my.end"() : () -> () loc("e"("f"))
  }, {
  ^bb1:
    "my.br"() [^bb2] : () -> ()
  ^bb2:
    "my.end"() : () -> ()
  }) {a = #map, "b c"} : (f32) -> (f32, f32) loc("t"(fused["u"]))
  cf.cond_br %c, ^bb1(%1 : f32), ^bb2 loc("c")
^bb1(%z: f32 loc("z")):
  cf.br ^bb2 loc(#loc)
^bb2:
  return %2#1 : f32 loc(unknown)
} loc(#loc)
