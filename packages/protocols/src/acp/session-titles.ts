import { shownLine } from '@cadre/gate'

const maxLength = 80

/** The title of a session: the first words of its work. */
export function titleOf(work: string): string {
  return shownLine(work.trim().split('\n')[0] ?? '', maxLength)
}
