import { cleanText } from '../../output/clean-text.ts'
import { formatCount } from '../../output/numbers.ts'
import type { Style } from '../../output/style.ts'
import { truncateText } from '../../output/text-width.ts'

interface Folded {
  readonly title: string
  readonly lines: readonly string[]
}

const maxOutputs = 100
const shownFirst = 2
const shownLast = 4
/** The maximum number of lines when shown in full. */
const maxLines = 2_000

/** Outputs that were shown partially. They can be shown in full, newest first. */
export class CollapsedOutputs {
  readonly #all: Folded[] = []
  #next = 0

  /** Returns the start and end of an output, and the number of lines between them. */
  fold(title: string, output: string, columns: number, style: Style): string[] {
    const lines = cleanText(output).trimEnd().split('\n')
    const paint = (line: string) => style.dim(`  ${truncateText(line, Math.max(10, columns - 2))}`)
    if (lines.length <= shownFirst + shownLast + 1) return lines.map(paint)
    this.#all.push({ title, lines })
    if (this.#all.length > maxOutputs) this.#all.shift()
    this.#next = this.#all.length - 1
    const hidden = lines.length - shownFirst - shownLast
    return [
      ...lines.slice(0, shownFirst).map(paint),
      style.dim(`  … ${formatCount(hidden, 'line')} hidden · Ctrl-O to show`),
      ...lines.slice(-shownLast).map(paint),
    ]
  }

  /** Returns the next one in full. */
  nextLines(columns: number, style: Style): string[] {
    const folded = this.#all[this.#next]
    if (folded === undefined) return [style.dim('No hidden output.')]
    this.#next = this.#next === 0 ? this.#all.length - 1 : this.#next - 1
    const lines = folded.lines.slice(0, maxLines)
    const rest = folded.lines.length - lines.length
    return [
      style.bold(truncateText(folded.title, columns)),
      ...lines.map((line) => `  ${truncateText(line, Math.max(10, columns - 2))}`),
      ...(rest > 0 ? [style.dim(`  … ${formatCount(rest, 'more line')}`)] : []),
    ]
  }
}
