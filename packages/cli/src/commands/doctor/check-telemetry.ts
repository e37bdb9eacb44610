import { probeTelemetry } from '@cadre/runtime'
import type { Io } from '../../io.ts'
import { type Check, ok, warn } from './check.ts'

const name = 'telemetry'

/** Whether runs are exported to an OpenTelemetry collector, and whether it answers. Runs do not depend on it, so nothing here fails. */
export async function checkTelemetry({ env }: Pick<Io, 'env'>, limit: number): Promise<Check[]> {
  const state = await probeTelemetry(env, limit)
  if (state === undefined)
    return [ok(name, 'off; set OTEL_EXPORTER_OTLP_ENDPOINT to export traces and metrics')]
  const { signals, content, sendsJsonInstead, notices } = state
  const how = `${sendsJsonInstead ? ', as JSON and not as protobuf' : ''}${content ? ', with prompts and results' : ''}`
  const found = signals.map(({ name: signal, origin, problem }) =>
    problem === undefined
      ? ok(name, `${signal} go to ${origin}${how}`)
      : warn(
          name,
          `the collector at ${origin} does not accept ${signal}: ${problem}`,
          'Check that it is running and that the OTEL_EXPORTER_OTLP_… variables name its HTTP port, usually 4318.',
        ),
  )
  const nothing = signals.length === 0 && notices.length === 0
  return [
    ...found,
    ...notices.map((notice) => warn(name, notice)),
    ...(nothing ? [ok(name, 'off; the OTEL_… variables disable traces and metrics')] : []),
  ]
}
