import type { History } from '@cadre/core'

/** A turn of the chat as plain data: the person's message, or the agent's answer. */
export interface PastTurn {
  readonly role: 'user' | 'assistant'
  readonly text: string
}

/** About a quarter of a small context window. */
const maxLength = 60_000

/** The earlier conversation for the entry agent: alternating messages, the newest that fit. */
export function historyOf(turns: readonly PastTurn[]): History {
  const said: { role: PastTurn['role']; content: string }[] = []
  for (const { role, text } of turns) {
    const content = text.trim()
    if (content === '') continue
    const last = said.at(-1)
    if (last?.role === role) last.content = `${last.content}\n\n${content}`
    else said.push({ role, content })
  }
  let left = maxLength
  const from = said.findLastIndex(({ content }) => {
    left -= content.length
    return left < 0
  })
  const newest = said.slice(from + 1)
  // Drops an answer without its question.
  return newest[0]?.role === 'assistant' ? newest.slice(1) : newest
}
