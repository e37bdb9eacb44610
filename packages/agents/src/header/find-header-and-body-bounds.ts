import { indentOf, isBlank, isComment, isKnownKeyLine } from './key-line.ts'

export interface HeaderAndBodyBounds {
  /** The first line after the header. */
  readonly header: number
  /** The first line of the body. */
  readonly body: number
  /** The first line after the body. */
  readonly last: number
  readonly isClosed: boolean
}

/** Finds the end of a header that starts at `start`, and the end of the body. */
export function findHeaderAndBodyBounds(
  texts: readonly string[],
  start: number,
  fence: string | undefined,
  /** The opening line, usually `---`; undefined if it is missing. */
  mark: string | undefined,
): HeaderAndBodyBounds {
  const isFence = (line: string) => fence !== undefined && closesFence(line, fence)
  const first = texts.slice(start).find((line) => !isBlank(line)) ?? ''
  // In an indented header, the dashes are indented too.
  const isDashes = (line: string) =>
    (line.trim() === '---' || line.trim() === mark) && indentOf(line).length <= indentOf(first).length
  const dashes = texts.findIndex((line, index) => index >= start && isDashes(line))
  const fenceEnd = texts.findIndex((line, index) => index >= start && isFence(line))
  // A code block around the header only: its end is the end of the header.
  if (mark === undefined && fenceEnd !== -1 && (dashes === -1 || fenceEnd < dashes))
    return { header: fenceEnd, body: fenceEnd + 1, last: texts.length, isClosed: true }
  const header = dashes === -1 ? endOfKeys(texts, start) : dashes
  const body = dashes === -1 ? header : dashes + 1
  if (fence === undefined) return { header, body, last: texts.length, isClosed: dashes !== -1 }
  const next = texts.findIndex((line, index) => index >= body && !isBlank(line))
  const endsHere = next !== -1 && isFence(texts[next] as string)
  return {
    header,
    body: endsHere ? next + 1 : body,
    last: endsHere ? texts.length : endInFence(texts, body, fence),
    isClosed: dashes !== -1,
  }
}

function closesFence(line: string, fence: string): boolean {
  const said = line.trim()
  return said.length >= fence.length && said === (fence[0] as string).repeat(said.length)
}

/** Returns the last non-empty line, if it closes the code block around the file and none within it. */
function endInFence(texts: readonly string[], body: number, fence: string): number {
  let last = texts.length
  while (last > body && isBlank(texts[last - 1] as string)) last--
  if (last === body || !closesFence(texts[last - 1] as string, fence)) return texts.length
  const marks = texts.slice(body, last).filter((line) => line.trimStart().startsWith(fence)).length
  return marks % 2 === 1 ? last - 1 : texts.length
}

/**
 * Returns the end of an unclosed header: after the last value with a known key, as far as that can be determined. A
 * heading, a code block or a separate paragraph belongs to the text after it.
 */
export function endOfKeys(texts: readonly string[], start: number): number {
  let end = start
  let isInValue = false
  let next = start
  for (let at = start; at < texts.length; at++) {
    const line = texts[at] as string
    const isAfterBlank = isBlank(texts[at - 1] ?? '')
    if (/^(?:`{3,}|~{3,})/.test(line)) break
    if (isBlank(line)) continue
    if (isComment(line)) {
      // Between keys, `#` is a comment, otherwise a heading.
      while (next < at || (next < texts.length && !isContentLine(texts[next] as string))) next++
      if (isAfterBlank && !isKnownKeyLine(texts[next])) break
    } else if (isKnownKeyLine(line) && indentOf(line) === '') {
      isInValue = true
      end = at + 1
    } else if (isInValue && /^(?:[ \t]|-(?:\s|$)|[\]}])/.test(line)) end = at + 1
    else if (isAfterBlank) break
    else isInValue = false
  }
  return end
}

function isContentLine(line: string): boolean {
  return !isBlank(line) && !isComment(line)
}
