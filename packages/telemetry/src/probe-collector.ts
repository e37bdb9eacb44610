import { metricsBody, tracesBody } from './otlp-body.ts'
import { createSender } from './post.ts'
import { type Environment, readTelemetrySettings, type SignalName } from './read-telemetry-settings.ts'

/** What `cadre doctor` reports. */
export interface CollectorState {
  readonly signals: readonly {
    readonly name: SignalName
    /** Without path, user and password. */
    readonly origin: string
    /** Why the collector does not accept data; absent if it does. */
    readonly problem?: string
  }[]
  readonly content: boolean
  readonly sendsJsonInstead: boolean
  readonly notices: readonly string[]
}

/** Sends a request without data to each address. */
export async function probeCollector(environment: Environment, limitMs: number): Promise<CollectorState> {
  const { traces, metrics, resource, content, sendsJsonInstead, notices } = readTelemetrySettings(
    environment,
    'probe',
  )
  const bodies = { traces: tracesBody(resource, []), metrics: metricsBody(resource, []) }
  const signals = await Promise.all(
    Object.entries({ traces, metrics }).flatMap(([key, signal]) => {
      if (signal === undefined) return []
      const name = key as SignalName
      const sender = createSender(signal)
      return sender.send(bodies[name], limitMs).then((delivery) => {
        sender.close()
        const problem = delivery.kind === 'failed' ? { problem: delivery.reason } : {}
        return { name, origin: signal.url.origin, ...problem }
      })
    }),
  )
  return { signals, content, sendsJsonInstead, notices }
}
