import { randomBytes, randomUUID } from 'node:crypto'
import { type CadreEvent, readTrace } from '@cadre/core'
import { BatchQueue } from './batch-queue.ts'
import { createContent } from './content.ts'
import type { HookRun } from './hook-run.ts'
import { createMeter } from './meter.ts'
import { metricsBody, tracesBody } from './otlp-body.ts'
import { createSender, type Sender } from './post.ts'
import {
  type Environment,
  readTelemetrySettings,
  type SignalName,
  type SignalSettings,
  type TelemetrySettings,
} from './read-telemetry-settings.ts'
import { SpanTracker } from './span-tracker.ts'

export interface TelemetryOptions {
  readonly environment: Environment
  /** The home directory and its machine, because sessions elsewhere can have the same ids. */
  readonly place?: string
  /** Masks secrets in content. */
  readonly mask: (text: string) => string
  /** Called once, with a sentence for the user, when data is lost. */
  readonly tell: (message: string) => void
  /** Milliseconds since 1970. */
  readonly now?: () => number
  /** The longest time that `close` takes, in milliseconds. */
  readonly closeMs?: number
}

/** Exports sessions' activity to an OpenTelemetry collector. No method throws, waits or keeps the process running, except `close`. */
export interface Telemetry {
  /** Receives every event from every session in this process. */
  take(event: CadreEvent): void
  /** Receives every hook that has run. */
  hook(run: HookRun): void
  /**
   * The W3C `traceparent` of a call, or of a session, that is running in this process. Pass it to a server that carries out the call. The
   * server's spans then belong to the trace, below the call.
   */
  traceparent(session: string, call?: string): string | undefined
  /** Links a session's next span to the program that resumes it. Call it before the session is resumed. */
  link(session: string, traceparent: string): void
  /** The trace for a new run: the trace of the program that started this process, or a new one. */
  newTrace(): string
  /** Problems with the settings, one sentence each. */
  readonly notices: readonly string[]
  /** Sends the remaining data, within a short time limit. */
  close(): Promise<void>
}

/** A collector that does not answer must not delay the end of a run. */
const closeMs = 1500

/** Creates a process's telemetry from the `OTEL_…` variables. Does not open a connection until there is data to send. */
export function createTelemetry(options: TelemetryOptions): Telemetry {
  const { environment, mask, tell, now = Date.now } = options
  const settings = readTelemetrySettings(environment, randomUUID())
  const { resource, delta, queue, longest, notices } = settings
  const senders: Sender[] = []
  let isTold = false
  const lost =
    (what: string, { url }: SignalSettings) =>
    (reason: string) => {
      if (isTold) return
      isTold = true
      tell(
        `some ${what} were not exported: the OpenTelemetry collector at ${url.origin} does not accept them (${reason}). The run is not affected. Check the collector with "cadre doctor".`,
      )
    }
  const open = (
    name: SignalName,
    limits: { readonly most: number; readonly batch: number; readonly delayMs: number },
    body: (items: readonly string[]) => string,
  ): BatchQueue | undefined => {
    const signal = settings[name]
    if (signal === undefined) return undefined
    const sender = createSender(signal)
    senders.push(sender)
    const send = (items: readonly string[], limitMs?: number) => sender.send(body(items), limitMs)
    return new BatchQueue({ ...limits, send, lost: lost(name, signal) })
  }
  const spans = open('traces', queue, (items) => tracesBody(resource, items))
  const collections = open('metrics', { most: 8, batch: 1, delayMs: 1 }, (items) =>
    metricsBody(resource, items),
  )
  const meter = createMeter({ now: now(), delta })
  const outside = readTrace(environment['TRACEPARENT'])
  const tracker = new SpanTracker({
    meter,
    content: createContent(settings.content ? maskAlso(mask, settings) : undefined, longest),
    sampler: spans === undefined ? () => false : settings.sampler,
    outside,
    place: options.place,
    export: (span) => spans?.add(span),
  })
  const collect = () => {
    const collected = collections && meter.collect(now())
    if (collected !== undefined) collections?.add(collected)
  }
  let collecting: NodeJS.Timeout | undefined
  return {
    notices,
    take(event) {
      tracker.take(event)
      if (collections !== undefined) collecting ??= setInterval(collect, settings.metricsEveryMs).unref()
      // A program that never closes the runtime still exports its runs.
      if (event.type === 'session.ended' && tracker.isEntry(event.session)) spans?.flush()
    },
    hook: (run) => tracker.hook(run),
    traceparent: (session, call) => tracker.traceparent(session, call),
    link: (session, traceparent) => tracker.link(session, traceparent),
    newTrace: () =>
      outside === undefined ? randomBytes(16).toString('hex') : (environment['TRACEPARENT'] as string).trim(),
    async close() {
      clearInterval(collecting)
      collect()
      const limit = options.closeMs ?? closeMs
      await Promise.all([spans?.close(limit), collections?.close(limit)])
      for (const sender of senders) sender.close()
    },
  }
}

/** Headers are secrets too, regardless of the names of their variables. */
function maskAlso(
  mask: (text: string) => string,
  { traces, metrics }: Pick<TelemetrySettings, SignalName>,
): (text: string) => string {
  const secrets = [traces, metrics].flatMap((signal) => Object.values(signal?.headers ?? {}))
  const long = secrets.filter((secret) => secret.length >= 8)
  return (text) => long.reduce((shown, secret) => shown.replaceAll(secret, '***'), mask(text))
}
