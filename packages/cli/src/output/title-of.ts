import { truncateText } from './text-width.ts'
import { workText } from './work-text.ts'

const maxLength = 50

/** The title of a session: the first words of its work. */
export function titleOf(work: string | undefined): string {
  return truncateText(workText(work ?? ''), maxLength)
}
