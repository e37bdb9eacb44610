import type { History } from '@cadre/core'
import { cleanText } from './clean-text.ts'
import type { Style } from './style.ts'

/** A conversation for a person: their own messages are marked. */
export function conversationText(said: History, style: Style): string {
  const texts = said.map(({ role, content }) => {
    const text = cleanText(content).trim()
    return role === 'user' ? style.bold(text.replace(/^/gm, '> ')) : text
  })
  return texts.join('\n\n')
}
