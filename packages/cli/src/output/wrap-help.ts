type HelpOutput = { readonly isTTY: boolean; readonly stream: { readonly columns: number } }

/** A command in an example stays in one piece, so that a person can copy it. */
const command = /^ {2}(?:\S.* )?cadre (?!.* {2})/

/** Lines of prose at least this long were broken in the source, not to begin a new thought. */
const broken = 90

/**
 * Help that fits into the terminal: lines break between words, and the rest of a line is indented like the text it continues. Prose that
 * was broken for a wider terminal is joined first. Anything but a terminal gets the text as it is.
 */
export function wrapHelp(text: string, { isTTY, stream }: HelpOutput): string {
  if (!isTTY) return text
  const room = Math.max(20, (stream.columns || 80) - 1)
  return joinedProse(text.split('\n'))
    .flatMap((line) => (line.length <= room || command.test(line) ? [line] : wrapLine(line, room)))
    .join('\n')
}

function joinedProse(lines: readonly string[]): string[] {
  const joined: string[] = []
  let last = ''
  for (const line of lines) {
    if (/^\S/.test(last) && last.length >= broken && /^\S/.test(line)) joined.push(`${joined.pop()} ${line}`)
    else joined.push(line)
    last = line
  }
  return joined
}

function wrapLine(line: string, room: number): string[] {
  const indent = indentOf(line, room)
  const start = /^ */.exec(line)?.[0] ?? ''
  const lines: string[] = []
  let current = ''
  // The gaps of a table stay; the text behind them breaks at single spaces.
  for (const part of line.slice(start.length).split(/(?<=\S)(?= +\S)/)) {
    const before = lines.length === 0 ? start : indent
    if (current !== '' && before.length + current.length + part.length > room) {
      lines.push(before + current)
      current = part.trimStart()
    } else current += part
  }
  lines.push((lines.length === 0 ? start : indent) + current)
  return lines
}

/** Under the second column of a table of flags or commands, unless that leaves too little room. */
function indentOf(line: string, room: number): string {
  const first = /^ +(?:-\w,? +)?\S.*? {2,}(?=\S)/.exec(line)?.[0].length
  const start = /^ */.exec(line)?.[0].length ?? 0
  if (first !== undefined && first <= room / 2) return ' '.repeat(first)
  return ' '.repeat(start === 0 ? 0 : start + 4)
}
