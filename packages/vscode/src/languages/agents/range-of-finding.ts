/** Returns the range of a finding on its line: the name it is about if present, otherwise the text of the line. */
export function rangeOfFinding(
  line: string,
  message: string,
): { readonly start: number; readonly end: number } {
  const [, quoted] = /"([^"]+)"/.exec(message) ?? []
  const at = quoted === undefined ? -1 : wordIn(line, quoted)
  if (quoted !== undefined && at !== -1) return { start: at, end: at + quoted.length }
  const start = line.length - line.trimStart().length
  return { start, end: Math.max(start, line.trimEnd().length) }
}

function wordIn(line: string, word: string): number {
  for (let at = line.indexOf(word); at !== -1; at = line.indexOf(word, at + 1)) {
    const around = `${line[at - 1] ?? ' '}${line[at + word.length] ?? ' '}`
    if (!/[\w-]/.test(around)) return at
  }
  return -1
}
