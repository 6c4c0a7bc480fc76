// RUN: mlir-opt %s | FileCheck %s
// CHECK-LABEL: func.func @f
//  CHECK-SAME: %[[A:.*]]: f32, %[[B:.*]]: f32
//       CHECK: %[[MUL:.*]] = arith.mulf %[[A]], %[[B]] : f32
//  CHECK-NEXT: %[[ADD:.*]] = arith.addf %[[A]], %[[B]] : f32
//  CHECK-NEXT: %[[SUB:.*]] = arith.subf %[[ADD]], %[[MUL]] : f32
//  CHECK-NEXT: return %[[SUB]]
func.func @f(%a: f32, %b: f32) -> f32 {
  %0 = arith.addf %a, %b : f32
  %1 = arith.mulf %a, %b : f32
  %2 = arith.subf %0, %1 : f32
  return %2 : f32
}
