/** The number of context lines around a change. */
const contextLines = 3

/** A text change as diff lines: everything between the first and the last difference. Absent: the file does not exist. */
export function diffLines(before: string | undefined, after: string | undefined): string[] {
  const old = linesOf(before)
  const now = linesOf(after)
  const maxLength = Math.min(old.length, now.length)
  let start = 0
  while (start < maxLength && old[start] === now[start]) start++
  let end = 0
  while (end < maxLength - start && old.at(-1 - end) === now.at(-1 - end)) end++
  const isSame = start === old.length && start === now.length
  if (isSame) return []
  return [
    ...withMark(' ', now.slice(Math.max(0, start - contextLines), start)),
    ...withMark('-', old.slice(start, old.length - end)),
    ...withMark('+', now.slice(start, now.length - end)),
    ...withMark(' ', now.slice(now.length - end, now.length - end + contextLines)),
  ]
}

function linesOf(text: string | undefined): string[] {
  return text === undefined ? [] : text.split('\n')
}

function withMark(mark: string, lines: readonly string[]): string[] {
  return lines.map((line) => `${mark} ${visibleText(line)}`)
}

/** Replaces invisible characters and direction marks with their codes. */
function visibleText(line: string): string {
  return line.replace(/[\p{Cc}\p{Cf}\p{DI}\u2800]/gu, (character) =>
    character === '\t' ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
}
