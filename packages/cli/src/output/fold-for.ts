import { foldText } from './fold-text.ts'
import type { Output } from './output.ts'
import { textWidth } from './text-width.ts'

/** The text, folded if it goes to a terminal. For anything else it stays as it is: programs read it. */
export function foldFor({ isTTY, stream }: Pick<Output, 'isTTY' | 'stream'>, text: string): string {
  return isTTY ? foldText(text, stream.columns || 80, textWidth) : text
}
