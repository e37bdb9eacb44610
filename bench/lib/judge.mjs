/** One row of the table of aims. */
export function judge(aim, limit, value, isMet, show) {
  if (!Number.isFinite(value)) return { aim, limit, measured: '', verdict: 'not measured' }
  return { aim, limit, value, measured: show(value), verdict: isMet(value) ? 'met' : 'missed' }
}

export const ratio = (a, b) => (a === undefined || b === undefined ? undefined : a / b)
export const atMost = (limit) => (value) => value <= limit
export const below = (limit) => (value) => value < limit
export const times = (value) => `${value.toFixed(2)} ×`
export const unit = (name) => (value) => `${Math.round(value)} ${name}`
