/**
 * Owns the output for programs: one JSON object per line.
 *
 * 1. Structural events are never dropped and keep their order.
 * 2. While the reader is slow, text pieces of one reply are merged into one event, and the progress of calls is dropped; nothing else changes.
 * 3. Nothing waits for the reader until `flush`, which waits for all output, or until the reader is gone.
 */
import type { CadreEvent } from '@cadre/core'
import type { Output } from './output.ts'

export interface JsonLines {
  event(event: CadreEvent): void
  /** A line that is not an event. */
  line(value: object): void
  flush(): Promise<void>
}

type TextAdded = CadreEvent & { readonly type: 'text.added' }

export function createJsonLines(output: Output): JsonLines {
  /** Queued lines, and text that may still grow. */
  let queue: (string | { event: TextAdded })[] = []
  /** The growing text of each session, while no other event of that session is queued after it. */
  const growing = new Map<string, { event: TextAdded }>()
  let blocked = false
  const waiting: (() => void)[] = []

  const drained = () => {
    blocked = false
    const lines = queue.map((item) => (typeof item === 'string' ? item : lineOf(item.event)))
    queue = []
    growing.clear()
    if (lines.length > 0) send(lines.join(''))
    if (!blocked) for (const done of waiting.splice(0)) done()
  }
  const send = (text: string) => {
    if (output.writeSoon(text)) return
    blocked = true
    // If the reader is gone, the rest is dropped.
    output.whenReady(drained)
  }
  const add = (line: string) => {
    if (blocked) queue.push(line)
    else send(line)
  }

  return {
    event(event) {
      if (blocked && event.type === 'call.progressed') return
      if (!blocked || event.type !== 'text.added') {
        growing.delete(event.session)
        add(lineOf(event))
        return
      }
      const known = growing.get(event.session)
      if (known !== undefined && known.event.round === event.round) {
        known.event = { ...event, text: known.event.text + event.text }
        return
      }
      const item = { event }
      growing.set(event.session, item)
      queue.push(item)
    },
    line: (value) => add(lineOf(value)),
    flush: () => (blocked ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve()),
  }
}

function lineOf(value: object): string {
  return `${JSON.stringify(value)}\n`
}
