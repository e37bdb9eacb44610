export function day(date) {
  return date.toISOString().slice(0, 10)
}
