import type { Image } from '@cadre/core'
import type { SentContent } from '../continuation.ts'

export type PromptBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }

/**
 * A message for a program. It never starts with the text of a person or a model: programs take a text that starts with `/`,
 * `!` or `#` as a command, and "/yolo" switches all of their questions off.
 */
export function promptBlocks(
  said: SentContent,
  options: { system?: string; canSee: boolean },
): PromptBlock[] {
  const { system = '', canSee } = options
  const instructions =
    system.trim() === '' ? '' : `<system_instructions>\n${system}\n</system_instructions>\n\n`
  const unseen =
    said.images.length > 0 && !canSee ? `\n[${said.images.length} image(s), not shown to this program]` : ''
  const text = `${instructions}<user_message>\n${said.text}${unseen}\n</user_message>`
  const images = canSee ? said.images : []
  return [{ type: 'text', text }, ...images.map(imageBlock)]
}

function imageBlock({ mime, data }: Image): PromptBlock {
  return { type: 'image', data, mimeType: mime }
}
