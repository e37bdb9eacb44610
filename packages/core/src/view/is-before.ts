/** Whether an instant is earlier than another. What is no instant is earlier than nothing, and nothing is earlier than it. */
export function isBefore(a: string, b: string): boolean {
  // Ours all have one form, whose order is that of the letters; in files of others there are all kinds.
  if (a.length === ownLength && b.length === ownLength && a.endsWith('Z') && b.endsWith('Z')) return a < b
  return Date.parse(a) < Date.parse(b)
}

const ownLength = '2026-01-01T00:00:00.000Z'.length
