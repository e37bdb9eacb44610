import { foldText } from './fold-text.ts'
import type { Output } from './output.ts'
import { textWidth } from './text-width.ts'

/** Returns the text, folded for a terminal. Otherwise it is unchanged, because programs read it. */
export function foldForTerminal({ isTTY, stream }: Pick<Output, 'isTTY' | 'stream'>, text: string): string {
  return isTTY ? foldText(text, stream.columns || 80, textWidth) : text
}
