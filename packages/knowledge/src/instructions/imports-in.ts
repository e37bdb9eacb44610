export interface Import {
  /** As it is written, without the `@`. */
  readonly target: string
  readonly line: number
}

/**
 * The files that a text imports: `@path` at the beginning of a line or after a space. Nothing in code is an import: neither in a block
 * between fences or behind four spaces, nor between backticks.
 */
export function importsIn(text: string): Import[] {
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
    const prose = line.replace(/(`+)(?:(?!\1).)*\1/g, (code) => ' '.repeat(code.length))
    for (const found of prose.matchAll(/(?:^|\s)@((?:[^\s\\]|\\ )+)/g)) {
      const target = (found[1] as string).replaceAll('\\ ', ' ').replace(/[.,;:!?)\]]+$/, '')
      if (/^(?:[\w.~/]|\.\.?\/)/.test(target)) imports.push({ target, line: at + 1 })
    }
  }
  return imports
}
