import { CadreError } from '@cadre/core'
import type { PlaceNames } from '../place-names.ts'

interface Timing {
  readonly inactivity_timeout?: string
  readonly abort_timeout?: string
  readonly journal_retention?: string
  readonly idempotency_retention?: string
}

interface HandlerInfo extends Timing {
  readonly name: string
  readonly enable_lazy_state?: boolean
  readonly retry_policy?: { readonly max_attempts?: number | null }
}

/** A service as the admin API of the server describes it. A handler without a setting has the one of its service. */
export interface ServiceInfo extends Timing {
  readonly handlers: readonly HandlerInfo[]
}

interface CheckedService {
  readonly part: keyof PlaceNames
  readonly name: string
  readonly place: string
}

/** Checks what the handlers of a place need. The server's configuration, or its admin API, may override what a worker asks for. */
export function checkService(service: ServiceInfo, { part, name, place }: CheckedService): void {
  if (part === 'trees' && !service.handlers.some((handler) => handler.name === 'run'))
    throw new CadreError('configuration', `the worker of place ${place} does not serve trees.`)
  for (const handler of service.handlers) {
    const fault = part === 'trees' && handler.name === 'run' ? runFault(handler) : undefined
    const found = fault ?? handlerFault(part, handler, { ...service, ...handler })
    if (found === undefined) continue
    const where = fault === undefined ? ` It applies to ${handler.name} of ${name}.` : ''
    throw new CadreError(
      'configuration',
      `the Restate server ${found} in the server's configuration.${where}`,
    )
  }
}

/** What a tree needs, and the setting that prevents it. */
function runFault(run: HandlerInfo): string | undefined {
  const { enable_lazy_state: isLazy, inactivity_timeout: silence, abort_timeout: abort } = run
  const attempts = attemptsOf(run)
  if (isLazy !== true)
    return 'loads the whole state of a tree, so trees beyond 32 MiB could not be resumed. Upgrade the server to 1.7 or later, or enable lazy state'
  if (!(secondsIn(silence) >= day))
    return `suspends invocations after ${silence || 'its default time'}, which would interrupt long calls. Remove the limit on inactivity-timeout`
  if (abort !== undefined && secondsIn(abort) < day)
    return `aborts invocations after ${abort}, which would interrupt long calls. Remove the limit on abort-timeout`
  if (attempts < leastAttempts)
    return `pauses a tree after ${attempts} failed attempts. Remove the limit on max-attempts`
  return undefined
}

function handlerFault(part: keyof PlaceNames, handler: HandlerInfo, timing: Timing): string | undefined {
  const { inactivity_timeout: silence, abort_timeout: abort, journal_retention: journals } = timing
  const attempts = attemptsOf(handler)
  // The state of the ledger is small.
  if (part !== 'ledger' && handler.enable_lazy_state !== true)
    return 'loads the whole state of an object, so objects beyond 32 MiB could not be used. Upgrade the server to 1.7 or later, or enable lazy state'
  if (secondsIn(silence) < leastSilence)
    return `suspends requests after ${silence}, so they would take many attempts. Raise inactivity-timeout to at least one minute`
  if (secondsIn(abort) < leastSilence)
    return `aborts requests after ${abort}, so they might never end. Raise abort-timeout to at least one minute`
  // A wait for changes may end. Its client asks again.
  if (attempts < leastAttempts && handler.name !== 'changes')
    return `pauses requests of workers after ${attempts} failed attempts. Remove the limit on max-attempts`
  if (secondsIn(journals) > 0)
    return `keeps the journals of requests for ${journals} after their end, so its disk would fill up. Remove journal-retention`
  const { idempotency_retention: results } = timing
  if (part === 'messages' && handler.name === 'send' && secondsIn(results) < leastRemembered)
    return `forgets orders after ${results}, so an order that is repeated could be carried out twice. Raise idempotency-retention to at least ten minutes`
  return undefined
}

const attemptsOf = ({ retry_policy: retries }: HandlerInfo): number =>
  retries?.max_attempts ?? Number.POSITIVE_INFINITY

/** At one attempt per second, more than ten days. */
const leastAttempts = 1_000_000

/** Seconds. Longer than a handler that is not a tree waits without a message to the server. */
const leastSilence = 2
/** Seconds for which clients repeat an order with the same key. */
const leastRemembered = 600
const day = 86_400

const unitSeconds: readonly (readonly [unit: RegExp, seconds: number])[] = [
  [/^(?:ns|nsecs?|nanos?|us|µs|usecs?|micros?|ms|msecs?|millis?)/, 0.001],
  [/^(?:months?|mos?$|M)/, 30 * day],
  [/^m/, 60],
  [/^s/, 1],
  [/^h/, 3_600],
  [/^d/, day],
  [/^w/, 7 * day],
  [/^y/, 365 * day],
]

/** Returns the seconds of a duration such as `1h 30m`, or NaN if the server does not say. */
function secondsIn(duration: string | undefined): number {
  const parts = [...(duration ?? '').matchAll(/([\d.]+)\s*([a-zµ]+)/gi)]
  if (parts.length === 0) return Number.NaN
  return parts.reduce((sum, [, count, unit = '']) => {
    const [, seconds = Number.NaN] = unitSeconds.find(([pattern]) => pattern.test(unit)) ?? []
    return sum + Number(count) * seconds
  }, 0)
}
