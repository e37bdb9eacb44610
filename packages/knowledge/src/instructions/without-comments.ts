const fence = /^ {0,3}(?:```|~~~)/
const fenceEnd = /^ {0,3}(?:```|~~~)[ \t]*$/

/**
 * Removes comments that are separate paragraphs, as Claude Code does, because they are invisible in the rendered file.
 * Fenced text stays. Takes linear time.
 */
export function withoutComments(text: string): string {
  const lines = text.split('\n')
  const fences = nextOf(lines, (line) => fenceEnd.test(line))
  const ends = nextOf(lines, (line) => line.trimEnd().endsWith('-->'))
  const kept: string[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string
    const fenced = fence.test(line) ? fences[at + 1] : undefined
    if (fenced !== undefined) {
      kept.push(...lines.slice(at, fenced + 1))
      at = fenced
      continue
    }
    const isComment = line.trimStart().startsWith('<!--')
    const isWhole = isComment && line.trim().slice(4).endsWith('-->')
    const end = isWhole ? at : isComment ? ends[at + 1] : undefined
    if (end === undefined) kept.push(line)
    else at = end
  }
  return kept.join('\n')
}

/** For each line, the next line that matches. */
function nextOf(lines: readonly string[], fits: (line: string) => boolean): readonly (number | undefined)[] {
  const next = new Array<number | undefined>(lines.length)
  for (let at = lines.length - 1; at >= 0; at--) next[at] = fits(lines[at] as string) ? at : next[at + 1]
  return next
}
