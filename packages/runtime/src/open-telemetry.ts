import { hostname } from 'node:os'
import type { Notice } from '@cadre/core'
import { maskSecrets, secretValues } from '@cadre/disk'
import type { CollectorState, Telemetry } from '@cadre/telemetry'

const endpoints = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
]

export interface OpenTelemetryOptions {
  /** The home directory. Called only if there is telemetry. */
  readonly home: () => string
  /** Shows a message to the user. */
  readonly tell: (message: string) => void
  /**
   * False for a program that starts runs for many people, such as the daemon: its runs do not belong to the trace in `TRACEPARENT`.
   * Default: true.
   */
  readonly joins?: boolean
}

/** Exports to an OpenTelemetry collector if the environment names one. Loads nothing otherwise. */
export async function openTelemetry(
  env: NodeJS.ProcessEnv,
  { home, tell, joins = true }: OpenTelemetryOptions,
): Promise<Telemetry | undefined> {
  if (!wantsTelemetry(env)) return undefined
  const { createTelemetry } = await import('@cadre/telemetry')
  const secrets = secretValues(env)
  return createTelemetry({
    environment: joins ? env : { ...env, TRACEPARENT: undefined },
    place: `${hostname()} ${home()}`,
    mask: (text) => maskSecrets(text, secrets),
    tell,
  })
}

/** What is wrong with the settings. */
export function telemetryNotices(telemetry: Telemetry | undefined): Notice[] {
  return (telemetry?.notices ?? []).map((message) => ({ code: 'telemetry', message }))
}

/** Sends a request without data to the collector. Returns `undefined` if the environment names none. */
export async function probeTelemetry(
  env: NodeJS.ProcessEnv,
  limitMs: number,
): Promise<CollectorState | undefined> {
  if (!wantsTelemetry(env)) return undefined
  const { probeCollector } = await import('@cadre/telemetry')
  return probeCollector(env, limitMs)
}

/** Cheap, because every run asks. */
function wantsTelemetry(env: NodeJS.ProcessEnv): boolean {
  return (
    endpoints.some((name) => env[name]?.trim()) && env['OTEL_SDK_DISABLED']?.trim().toLowerCase() !== 'true'
  )
}
