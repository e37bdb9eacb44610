import type { Output } from './output.ts'
import { textWidth } from './text-width.ts'
import { wrapText } from './wrap-text.ts'

/** Returns the text, folded for a terminal. Otherwise it is unchanged, because programs read it. */
export function wrapForTerminal({ isTTY, stream }: Pick<Output, 'isTTY' | 'stream'>, text: string): string {
  return isTTY ? wrapText(text, stream.columns || 80, textWidth) : text
}
