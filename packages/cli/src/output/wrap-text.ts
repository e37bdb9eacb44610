/** Text that people copy as a whole: a quoted command, or a command at the end of a line. Other text is wrapped between words. */
const unbreakable = /"cadre [^"]*"[^\s"]*|`[^`\n]+`[^\s`]*|(?<=: )cadre \S.*$|\S+/g

// biome-ignore lint/suspicious/noControlCharactersInRegex: our own colours take no room.
const colours = /\x1b\[\d+m/g

/**
 * Wraps lines between words. Table rows stay in their column. Words, paths and quoted commands are not split, even if one
 * is longer than a line: the terminal then wraps it, and it can still be copied.
 */
export function wrapText(
  text: string,
  columns: number,
  widthOf: (text: string) => number = (line) => line.length,
): string {
  const width = (part: string) => widthOf(part.replace(colours, ''))
  return text
    .split('\n')
    .map((line) => (width(line) <= columns ? line : wrapLine(line, columns, width)))
    .join('\n')
}

function wrapLine(line: string, columns: number, width: (text: string) => number): string {
  const start = /^ */.exec(line)?.[0].length ?? 0
  // The second column of a table starts after at least two spaces.
  const second = /^ *\S+(?: \S+)* {2,}(?=\S)/.exec(line)?.[0].length ?? start
  const indent = second <= columns / 2 ? second : start
  const lines: string[] = []
  let current = line.slice(0, indent)
  let isEmpty = true
  let end = indent
  for (const { 0: word, index } of line.slice(indent).matchAll(unbreakable)) {
    const gap = line.slice(end, indent + index)
    end = indent + index + word.length
    if (!isEmpty && width(current) + gap.length + width(word) > columns) {
      lines.push(current)
      current = ' '.repeat(indent) + word
    } else current += isEmpty ? word : gap + word
    isEmpty = false
  }
  return [...lines, current].join('\n')
}
