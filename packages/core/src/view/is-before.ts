/** Returns whether one timestamp is earlier than another. Returns false if either is not a timestamp. */
export function isBefore(a: string, b: string): boolean {
  // Cadre's own timestamps sort as text. Other programs write other formats.
  if (a.length === ownLength && b.length === ownLength && a.endsWith('Z') && b.endsWith('Z')) return a < b
  return Date.parse(a) < Date.parse(b)
}

const ownLength = '2026-01-01T00:00:00.000Z'.length
