export { createTelemetry, type Telemetry } from './create-telemetry.ts'
export { type CollectorState, probeCollector } from './probe-collector.ts'
