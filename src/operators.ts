/**
 * The entry `arrow-join/operators`: the state machines themselves, for those who bring their own driver, and what one needs to build them.
 */

export { type InputBatch, type OneShotInput, readInput } from "./arrow/input.ts";
export type { OutputSchema } from "./arrow/output.ts";
export type { Kernel, KernelName } from "./kernel/contract.ts";
export { type AcquiredKernel, acquireKernel, type KernelRequest, releaseKernel } from "./kernel/load.ts";
export { type AsofJoinOptions, AsofJoinStream } from "./operators/asof-join-stream.ts";
export type { AsofInputMetrics, AsofMetrics } from "./operators/asof-metrics.ts";
export { ExistenceJoinStream } from "./operators/existence-join-stream.ts";
export { HashJoinStream } from "./operators/hash-join-stream.ts";
export { joinMachine } from "./operators/join.ts";
export type { HashJoinOptions, JoinSwitches } from "./operators/join-options.ts";
export type { InputName, Machine, Step } from "./operators/machine.ts";
export type { JoinMetrics } from "./operators/metrics.ts";
export { NestedLoopJoinStream } from "./operators/nested-loop-join-stream.ts";
export { outputSchema } from "./operators/output-plan.ts";
export { plannedInput } from "./run/table-run.ts";
export type { AsofRequest, AsofSpec } from "./spec/asof-spec.ts";
export type { JoinKind, JoinRequest, JoinSpec } from "./spec/join-spec.ts";
export { planAsof } from "./spec/plan-asof.ts";
export { planJoin } from "./spec/plan-join.ts";
export { planCross, planWhere } from "./spec/plan-where.ts";
