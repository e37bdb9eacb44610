import { textWidth, truncateText } from './text-width.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: our own colours, the only escapes that lines of ours hold.
const colour = /(\x1b\[\d+m)/

/** Like `truncateText`, for a line with Cadre's colours: they take no space, and none is left open. */
export function truncateStyled(line: string, columns: number): string {
  let left = columns
  let cut = false
  let styled = false
  const parts = line.split(colour).map((part, index) => {
    if (index % 2 === 1) {
      styled = true
      return cut ? '' : part
    }
    if (cut) return ''
    const kept = truncateText(part, left)
    cut = kept !== part
    left -= textWidth(kept)
    return kept
  })
  return cut && styled ? `${parts.join('')}\x1b[0m` : parts.join('')
}
