/**
 * Formats an instant for people: `2026-11-16 14:05:09`, in the time zone of the machine or of `TZ`. Files and JSON use UTC.
 * Other text is returned unchanged.
 */
export function localTime(instant: string): string {
  const date = new Date(instant)
  if (Number.isNaN(date.getTime())) return instant
  const day = [date.getFullYear(), twoDigits(date.getMonth() + 1), twoDigits(date.getDate())].join('-')
  return `${day} ${localClock(date)}`
}

/** Only the time of day: `14:05:09`. */
export function localClock(date: Date): string {
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':')
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0')
}
