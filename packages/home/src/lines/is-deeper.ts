/** Whether lists and objects are nested in more than `most` levels. What calls itself for each level would fail on them. */
export function isDeeper(value: unknown, most: number): boolean {
  let level = [value].filter(isContainer)
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > most) return true
    level = level.flatMap((part) => Object.values(part)).filter(isContainer)
  }
  return false
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
