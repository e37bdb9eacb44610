import { createHash } from 'node:crypto'
import type { PlacedEntry } from '@cadre/journal'

/** Something said at the end of a log that has no answer there yet. */
export interface PendingMessage {
  /** The same as long as the entry is: under it a session hears it once, whatever is changed elsewhere in the file. */
  readonly id: string
  readonly content: string
  readonly placed: PlacedEntry
}

/**
 * The user's entries behind the last thing an agent said or did, in order. An entry that is still empty is being written, and it
 * and what follows it wait.
 */
export function pendingMessages(log: string, placed: readonly PlacedEntry[]): PendingMessage[] {
  const from = placed.findLastIndex(({ entry }) => entry.role !== 'user') + 1
  const seen = new Map<string, number>()
  const all = placed.map((one): PendingMessage | undefined => {
    if (one.entry.role !== 'user') return undefined
    const { time, content } = one.entry
    // Somebody may say the same twice in one second; a copied heading makes that likely.
    const said = `${time}\0${content}`
    const count = (seen.get(said) ?? 0) + 1
    seen.set(said, count)
    const hash = createHash('sha256').update(`${log}\0${said}\0${count}`).digest('hex').slice(0, 24)
    return { id: `log/${log}/${hash}`, content, placed: one }
  })
  const pending = all.slice(from).filter((one) => one !== undefined)
  const unfinished = pending.findIndex(({ content }) => content.trim() === '')
  return unfinished < 0 ? pending : pending.slice(0, unfinished)
}
