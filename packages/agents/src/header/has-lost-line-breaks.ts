import { keyLineOf } from './key-line.ts'
import { isKnownKey, plainKey } from './known-keys.ts'

const openings = /^(?:---+|[\u2013\u2014]+)?(?:[ \t]|\\r|\\n)*(?=["']?[A-Za-z][\w-]*["']?:)/

/**
 * True if the line breaks of a header were lost: its first line contains several keys, or a key and the closing dashes.
 * Then values cannot be assigned to keys.
 */
export function hasLostLineBreaks(text: string): boolean {
  const line = /^\s*([^\r\n]*)/.exec(text.slice(0, 64 * 1_024))?.[1] ?? ''
  const opening = openings.exec(line)?.[0]
  if (opening === undefined) return false
  const rest = line.slice(opening.length)
  if (keyLineOf(rest) === undefined) return false
  const keys = [...rest.matchAll(/(?:^|\s|\\n)["']?([A-Za-z][\w-]{1,40})["']?:(?=\s|\\n|$)/g)]
    .map(([, key = '']) => plainKey(key))
    .filter(isKnownKey)
  // Without dashes before it, a line with two keys may be a sentence.
  const isOpened = /^[-\u2013\u2014]/.test(opening)
  const isClosed = /(?:\s|\\n)---+(?:\s|\\n|$)/.test(rest)
  return new Set(keys).size >= (isOpened ? 2 : 3) || (isOpened && isClosed && keys.length > 0)
}
