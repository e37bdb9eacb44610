/**
 * Whether something can be the id of a session: whatever comes from a person, a button or a link is checked against this. The answer of
 * `isName` of the home, without loading the package. A test holds them together.
 */
export function isSessionId(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || value.length > longest) return false
  return !value.startsWith('.') && !unsafe.test(value)
}

const longest = 180
/** Not allowed in a file name on one system or another. */
const unsafe = /[/\\:*?"<>|\p{Cc}\p{Cs}]/u
