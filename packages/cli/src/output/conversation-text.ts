import type { History } from '@cadre/core'
import { cleanText } from './clean-text.ts'
import type { Style } from './style.ts'

/** What was said, for a person: their own words marked, those of agents as they are. */
export function conversationText(said: History, style: Style): string {
  const texts = said.map(({ role, content }) => {
    const text = cleanText(content).trim()
    return role === 'user' ? style.bold(text.replace(/^/gm, '> ')) : text
  })
  return texts.join('\n\n')
}
