import type { Usage } from '@cadre/core'

/** 1234 → "1.2k", for numbers in a dense list. */
export function shortNumber(value: number): string {
  if (value < 1000) return String(Math.round(value))
  const [divisor, unit] = value < 999_500 ? [1e3, 'k'] : value < 999_500_000 ? [1e6, 'M'] : [1e9, 'G']
  const scaled = value / divisor
  return `${scaled < 9.95 ? scaled.toFixed(1) : Math.round(scaled)}${unit}`
}

export function tokensOf({ input, output }: Usage): number {
  return input + output
}

/** "$0.42", or "–" if the price is unknown. */
export function costText(cost: number | undefined): string {
  if (cost === undefined) return '–'
  if (cost === 0) return '$0'
  return cost < 0.01 ? '<$0.01' : `$${cost < 100 ? cost.toFixed(2) : Math.round(cost)}`
}

/** "4 s", "3 min", "2 h 5 min". */
export function durationText(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '–'
  if (ms < 1000) return `${Math.round(ms)} ms`
  const seconds = ms / 1000
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return minutes < 10 ? `${minutes} min ${Math.round(seconds % 60)} s` : `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`
}

/** A local time. Text that is not a time is returned unchanged. */
export function timeText(at: string): string {
  const time = new Date(at)
  if (Number.isNaN(time.getTime())) return at
  return time.toLocaleString(undefined, {
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
