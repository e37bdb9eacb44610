import type { Entry } from '@cadre/core'
import { type LenientEntry, unnamedCall } from './lenient-entry.ts'

/**
 * Fills in missing fields of entries. The same file always gets the same numbers: an entry without a number, or with one that does not
 * increase, gets the number after the previous entry's.
 */
export class EntryNumbers {
  readonly entries: Entry[] = []
  private last = 0
  private timestamp: string

  constructor(timestamp: string) {
    this.timestamp = timestamp
  }

  add(entry: Entry): void {
    const seq = entry.seq > this.last ? entry.seq : this.last + 1
    this.last = seq
    this.timestamp = entry.timestamp
    this.entries.push(seq === entry.seq ? entry : { ...entry, seq })
  }

  /** Returns false for a result without an open call. */
  addLoose(loose: LenientEntry): boolean {
    let { draft } = loose
    if (draft.role === 'tool_result' && draft.tool_call_id === unnamedCall) {
      const call = this.openCall((draft as { name?: unknown }).name)
      if (call === undefined) return false
      draft = { ...draft, tool_call_id: call }
    }
    const seq = loose.seq !== undefined && loose.seq > this.last ? loose.seq : this.last + 1
    this.add({ seq, timestamp: loose.timestamp ?? this.timestamp, ...draft })
    return true
  }

  /** The first open call of the last reply, for the tool with this name if one is given. */
  private openCall(name: unknown): string | undefined {
    const at = this.entries.findLastIndex((entry) => entry.role === 'assistant')
    const reply = this.entries[at]
    if (reply?.role !== 'assistant') return undefined
    const settled = new Set(
      this.entries.slice(at).map((entry) => (entry.role === 'tool_result' ? entry.tool_call_id : undefined)),
    )
    const open = reply.tool_calls?.filter((call) => !settled.has(call.id)) ?? []
    return (open.find((call) => call.function.name === name) ?? open[0])?.id
  }
}
