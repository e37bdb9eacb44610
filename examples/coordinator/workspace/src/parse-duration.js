const units = { s: 1, m: 60, h: 3600 }

/** Returns the seconds of a duration such as `90s`, `5m` or `1h30m`. */
export function parseDuration(text) {
  let seconds = 0
  for (const [, amount, unit] of text.matchAll(/(\d+)([smh])/g)) seconds += Number(amount) * units[unit]
  return seconds
}
