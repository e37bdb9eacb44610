import { workWithoutHeadings } from '@cadre/core'
import { cleanLine } from './clean-text.ts'

/** The work of a session in one line, without the headings of delegated work. */
export function workText(work: string): string {
  return cleanLine(workWithoutHeadings(work).slice(0, 1000))
}
