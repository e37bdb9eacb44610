import type { History } from '@cadre/core'

/** A turn of the chat as plain data: what the person said, or what the participant answered in its agent's words. */
export interface Turn {
  readonly role: 'user' | 'assistant'
  readonly text: string
}

/** About a quarter of a small window. */
const most = 60_000

/** What was said before, for the entry agent: person and agent in turn, the newest that fit. */
export function historyOf(turns: readonly Turn[]): History {
  const said: { role: Turn['role']; content: string }[] = []
  for (const { role, text } of turns) {
    const content = text.trim()
    if (content === '') continue
    const last = said.at(-1)
    if (last?.role === role) last.content = `${last.content}\n\n${content}`
    else said.push({ role, content })
  }
  let left = most
  const from = said.findLastIndex(({ content }) => {
    left -= content.length
    return left < 0
  })
  const newest = said.slice(from + 1)
  // An answer without its question says nothing.
  return newest[0]?.role === 'assistant' ? newest.slice(1) : newest
}
