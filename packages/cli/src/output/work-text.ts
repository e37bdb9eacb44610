import { cleanLine } from './clean-text.ts'

const delegated = /^## Work\s+([\s\S]*?)\s+## Report expectations\s/

/** The work of a session in one line, without the headings that delegated work comes with. */
export function workText(work: string): string {
  return cleanLine((delegated.exec(work)?.[1] ?? work).slice(0, 1000))
}
