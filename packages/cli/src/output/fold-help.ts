/** Wraps a help text between words. Table rows stay in their column. */
export function foldHelp(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => (line.length <= columns ? line : foldLine(line, columns)))
    .join('\n')
}

function foldLine(line: string, columns: number): string {
  const start = /^ */.exec(line)?.[0].length ?? 0
  // The second column of a table starts after at least two spaces.
  const second = /^ *\S+(?: \S+)* {2,}(?=\S)/.exec(line)?.[0].length ?? start
  const indent = second <= columns / 2 ? second : start
  const lines: string[] = []
  let current = line.slice(0, indent)
  let isEmpty = true
  for (const word of line.slice(indent).split(' ')) {
    if (!isEmpty && current.length + 1 + word.length > columns) {
      lines.push(current)
      current = ' '.repeat(indent)
      isEmpty = true
    }
    current += isEmpty ? word : ` ${word}`
    isEmpty = false
  }
  return [...lines, current].join('\n')
}
