/**
 * True if a value can be a session id: for values from a person, a button or a link. The same result as `isName` of the
 * home package, without loading it. A test compares both.
 */
export function isSessionId(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || value.length > maxLength) return false
  return !value.startsWith('.') && !unsafe.test(value)
}

const maxLength = 180
/** Not allowed in file names on some systems. */
const unsafe = /[/\\:*?"<>|\p{Cc}\p{Cs}]/u
