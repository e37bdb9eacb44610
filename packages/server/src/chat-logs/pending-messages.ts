import { createHash } from 'node:crypto'
import type { PlacedEntry } from '@cadre/journal'

/** A message at the end of a log without an answer. */
export interface PendingMessage {
  /** Stable as long as the entry is unchanged, so the session receives the message once, whatever else changes in the file. */
  readonly id: string
  readonly content: string
  readonly placed: PlacedEntry
}

/** The ids of all messages of a log start with this. */
export function idPrefix(log: string): string {
  return `log/${log}/`
}

/** The user's entries after the last entry of an agent, in order. An empty entry is still being written, so it and later entries wait. */
export function pendingMessages(log: string, placed: readonly PlacedEntry[]): PendingMessage[] {
  const from = placed.findLastIndex(({ entry }) => entry.role !== 'user') + 1
  const seen = new Map<string, number>()
  const all = placed.map((one): PendingMessage | undefined => {
    if (one.entry.role !== 'user') return undefined
    const { time, content } = one.entry
    // The same text may appear twice with the same time, for example with a copied heading.
    const said = `${time}\0${content}`
    const count = (seen.get(said) ?? 0) + 1
    seen.set(said, count)
    const hash = createHash('sha256').update(`${log}\0${said}\0${count}`).digest('hex').slice(0, 24)
    return { id: `${idPrefix(log)}${hash}`, content, placed: one }
  })
  const pending = all.slice(from).filter((one) => one !== undefined)
  const unfinished = pending.findIndex(({ content }) => content.trim() === '')
  return unfinished < 0 ? pending : pending.slice(0, unfinished)
}
