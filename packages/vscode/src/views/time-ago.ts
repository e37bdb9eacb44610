const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const

/** `now`, `5 min ago`, `3 h ago`, `2 d ago`; a date for older times, and empty for an invalid time. */
export function timeAgo(time: string, now: number): string {
  const at = Date.parse(time)
  if (Number.isNaN(at)) return ''
  const passed = now - at
  if (passed > 14 * 86_400_000) return time.slice(0, 10)
  for (const [unit, size] of units) if (passed >= size) return `${Math.floor(passed / size)} ${unit} ago`
  return 'now'
}
