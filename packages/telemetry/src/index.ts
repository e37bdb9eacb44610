export { createTelemetry, type Telemetry, type TelemetryOptions } from './create-telemetry.ts'
export type { HookRun } from './hook-run.ts'
export { type CollectorState, probeCollector } from './probe-collector.ts'
