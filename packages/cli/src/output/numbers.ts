import type { Usage } from '@cadre/core'

/** `850 ms`, `12 s`, `3 min 05 s`, `2 h 10 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`
  const seconds = Math.floor(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${String(seconds % 60).padStart(2, '0')} s`
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`
}

/** `950`, `1.2k`, `34k`, `1.5M`. */
export function formatAmount(count: number): string {
  if (count < 1000) return String(count)
  if (count < 10_000) return `${(Math.floor(count / 100) / 10).toFixed(1)}k`
  if (count < 1_000_000) return `${Math.floor(count / 1000)}k`
  return `${(Math.floor(count / 100_000) / 10).toFixed(1)}M`
}

export function formatTokens(usage: Usage): string {
  return `${formatAmount(usage.input + usage.output)} tokens`
}

/** The usage as a list of numbers: tokens, and money and premium requests if known. */
export function usageNumbers(usage: Usage): string[] {
  return [
    formatTokens(usage),
    ...(usage.cost === undefined ? [] : [money(usage.cost)]),
    ...(usage.premium === undefined ? [] : [premiumRequests(usage.premium)]),
  ]
}

/** `1 premium request`, `0.33 premium requests`. */
function premiumRequests(count: number): string {
  return formatCount(Math.round(count * 100) / 100, 'premium request')
}

function money(dollars: number): string {
  return `$${dollars.toFixed(dollars < 0.1 ? 4 : 2)}`
}

/** `1 session`, `3 sessions`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
