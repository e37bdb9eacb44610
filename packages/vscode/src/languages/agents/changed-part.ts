/** The part of a text that differs from another text, as offsets into the first. */
export interface ChangedPart {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Returns the smallest replacement that turns `before` into `after`. Does not split surrogate pairs. */
export function changedPart(before: string, after: string): ChangedPart {
  const maxLength = Math.min(before.length, after.length)
  let start = 0
  while (start < maxLength && before[start] === after[start]) start++
  let kept = 0
  while (kept < maxLength - start && before[before.length - 1 - kept] === after[after.length - 1 - kept])
    kept++
  if (isLowSurrogate(before.charCodeAt(start)) || isLowSurrogate(after.charCodeAt(start)))
    start = Math.max(0, start - 1)
  if (kept > 0 && isLowSurrogate(before.charCodeAt(before.length - kept))) kept--
  return { start, end: before.length - kept, text: after.slice(start, after.length - kept) }
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}
