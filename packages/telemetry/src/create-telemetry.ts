import { randomBytes, randomUUID } from 'node:crypto'
import { type CadreEvent, readTrace } from '@cadre/core'
import { BatchQueue } from './batch-queue.ts'
import { createContent } from './content.ts'
import type { HookRun } from './hook-run.ts'
import { createMeter } from './meter.ts'
import { createSender, type Sender } from './post.ts'
import {
  type Environment,
  readSettings,
  type SignalName,
  type SignalSettings,
  type TelemetrySettings,
} from './read-settings.ts'
import { metricsBody, tracesBody } from './request-body.ts'
import { SpanTracker } from './span-tracker.ts'

export interface TelemetryOptions {
  readonly environment: Environment
  /** The home directory and its machine: sessions in other places can have the same ids. */
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

/** Exports what sessions do to an OpenTelemetry collector. Nothing here throws, waits or keeps the process running, except `close`. */
export interface Telemetry {
  /** Takes every event of every session of this process. */
  take(event: CadreEvent): void
  /** Takes every hook that has run. */
  hook(run: HookRun): void
  /**
   * The W3C `traceparent` of a call, or of a session, that is running in this process: pass it to a server that carries out the call. The
   * spans of the server then belong to the trace, below the call.
   */
  traceparent(session: string, call?: string): string | undefined
  /** Links the next span of a session to the program that resumes it. Call before the session is resumed. */
  link(session: string, traceparent: string): void
  /** The trace for a new run: that of the program that started this process, or a new one. */
  newTrace(): string
  /** Problems with the settings, one sentence each. */
  readonly notices: readonly string[]
  /** Sends what is left, for at most a moment. */
  close(): Promise<void>
}

/** A run must not be held up at its end by a collector that does not answer. */
const closeMs = 1500

/** Creates the telemetry of a process from the `OTEL_…` variables. Opens no connection before there is something to send. */
export function createTelemetry(options: TelemetryOptions): Telemetry {
  const { environment, mask, tell, now = Date.now } = options
  const settings = readSettings(environment, randomUUID())
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

/** Headers are secrets too, whatever the variables are called that hold them. */
function maskAlso(
  mask: (text: string) => string,
  { traces, metrics }: Pick<TelemetrySettings, SignalName>,
): (text: string) => string {
  const secrets = [traces, metrics].flatMap((signal) => Object.values(signal?.headers ?? {}))
  const long = secrets.filter((secret) => secret.length >= 8)
  return (text) => long.reduce((shown, secret) => shown.replaceAll(secret, '***'), mask(text))
}
