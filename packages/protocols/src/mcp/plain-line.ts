import { cleanMultiline } from './clean-multiline.ts'

/** Text from agents and files in one line, at most `max` characters long. */
export function plainLine(text: string, max: number): string {
  const line = cleanMultiline(text).replace(/\s+/g, ' ').trim()
  return line.length <= max ? line : `${line.slice(0, max - 1).trimEnd()}…`
}
