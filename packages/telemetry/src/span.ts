import { hash, randomBytes } from 'node:crypto'

export const spanKinds = { internal: 1, client: 3 } as const

/**
 * The id of a span that other spans name, the same in every process. A process that resumes a session can so name spans that another one
 * started, and the other way around.
 */
export function spanIdOf(
  traceId: string,
  kind: 'session' | 'call' | 'question',
  session: string,
  name: string,
): string {
  const id = hash('sha256', `${traceId}\0${kind}\0${session}\0${name}`).slice(0, 16)
  return id === zero ? '1'.repeat(16) : id
}

const zero = '0'.repeat(16)
let pool = ''

/** The id of a span that no other span names. Cheaper than a hash. */
export function randomSpanId(): string {
  if (pool === '') pool = randomBytes(2048).toString('hex')
  const id = pool.slice(0, 16)
  pool = pool.slice(16)
  return id === zero ? randomSpanId() : id
}

/**
 * The trace of a tree whose record names none, because a person wrote it or it was started without telemetry. The same in every process
 * with this place.
 */
export function traceIdOf(place: string, root: string): string {
  return hash('sha256', `trace\0${place}\0${root}`).slice(0, 32)
}

/** Milliseconds since 1970 as OTLP writes times. */
export function nanosOf(ms: number): string {
  return ms > 0 ? `${Math.round(ms)}000000` : '0'
}

let lastText = ''
let lastInstant = 0

/** A time of an event, in milliseconds since 1970; 0 if it is none. Most events have the time of the one before. */
export function instantOf(text: string | undefined): number {
  if (text === undefined) return 0
  if (text === lastText) return lastInstant
  lastText = text
  lastInstant = Date.parse(text) || 0
  return lastInstant
}
