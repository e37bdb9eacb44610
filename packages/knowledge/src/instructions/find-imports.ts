export interface Import {
  /** As written, without the `@`. */
  readonly target: string
  readonly line: number
}

/**
 * Returns the files that a text imports: `@path` at the start of a line or after a space. Code is skipped: fenced blocks,
 * lines indented by four spaces, and inline code.
 */
export function findImports(text: string): Import[] {
  const imports: Import[] = []
  let fence: string | undefined
  for (const [at, line] of text.split('\n').entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (
      mark !== undefined &&
      (fence === undefined || (mark[0] === fence[0] && mark.length >= fence.length))
    ) {
      fence = fence === undefined ? mark : undefined
      continue
    }
    if (fence !== undefined || /^(?: {4}|\t)(?!\s*[-*+] )/.test(line)) continue
    const prose = withoutCode(line)
    for (const found of prose.matchAll(/(?:^|\s)@((?:[^\s\\]|\\ )+)/g)) {
      const target = withoutEndMarks((found[1] as string).replaceAll('\\ ', ' '))
      if (/^(?:[\w.~/]|\.\.?\/)/.test(target)) imports.push({ target, line: at + 1 })
    }
  }
  return imports
}

/** Replaces inline code with spaces. Takes linear time. */
function withoutCode(line: string): string {
  const runs = [...line.matchAll(/`+/g)]
  const lastOf = new Map(runs.map(({ 0: ticks, index }) => [ticks.length, index]))
  let prose = ''
  let end = 0
  for (let at = 0; at < runs.length; at++) {
    const { 0: ticks, index } = runs[at] as RegExpExecArray
    if ((lastOf.get(ticks.length) ?? index) <= index) continue
    let close = at + 1
    while (runs[close]?.[0].length !== ticks.length) close++
    const after = (runs[close]?.index ?? index) + ticks.length
    prose += line.slice(end, index) + ' '.repeat(after - index)
    end = after
    at = close
  }
  return prose + line.slice(end)
}

/** Without regular expressions: a line of only dots must not block the process. */
function withoutEndMarks(text: string): string {
  let end = text.length
  while (end > 0 && '.,;:!?)]'.includes(text[end - 1] as string)) end--
  return text.slice(0, end)
}
