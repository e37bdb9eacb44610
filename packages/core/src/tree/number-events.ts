import type { CadreEvent, EventBody } from '../ports/events.ts'
import type { Ports } from '../ports/ports.ts'

/** Returns a function that emits the events of an orchestrator, each with its number and its time. */
export function numberEvents(
  ports: Pick<Ports, 'clock' | 'emit'>,
): (session: string, body: EventBody) => void {
  const at = instantWriter()
  let seq = 0
  // Each body is created for one event, so it can be completed in place.
  return (session, body) => {
    ports.emit(Object.assign(body, { seq: ++seq, at: at(ports.clock.now()), session }) as CadreEvent)
  }
}

/** Formats timestamps. Caches the last one, because many events share a millisecond. */
function instantWriter(): (ms: number) => string {
  let last = Number.NaN
  let written = ''
  return (ms) => {
    if (ms !== last) {
      last = ms
      written = new Date(ms).toISOString()
    }
    return written
  }
}
