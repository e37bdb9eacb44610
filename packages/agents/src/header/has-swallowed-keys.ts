import type { HeaderEntry } from './find-unread-restrictions.ts'

const keyAtMargin = /^["']?([A-Za-z][\w-]*)["']?\s*:(?:\s|$)/

/** Words at the start of lines in examples of a description. */
const speakers = new Set(
  `user assistant human system agent ai context example examples commentary note notes input output result response
  question answer scenario task trigger triggers important warning usage when step steps request action main use`.split(
    /\s+/,
  ),
)

/** True if a line at the left margin that looks like a key was read as part of the value above it. */
export function hasSwallowedKeys(
  lines: readonly string[],
  firstLine: number,
  entries: readonly HeaderEntry[],
): boolean {
  const read = new Set(entries.map(({ field }) => field.line))
  return lines.some((line, index) => {
    const key = keyAtMargin.exec(line)?.[1]
    return key !== undefined && !read.has(firstLine + index) && !speakers.has(key.toLowerCase())
  })
}
