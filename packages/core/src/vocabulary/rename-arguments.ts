type Aliases = { readonly [spelling: string]: string }

/**
 * Renames arguments to the tool's own names. Throws if an argument is given twice: the person who approves the call and the tool that runs
 * it could read different values.
 */
export function renameArguments(given: Record<string, unknown>, aliases: Aliases): Record<string, unknown> {
  rejectDuplicateArguments(given, aliases)
  const keys = Object.keys(given)
  if (!keys.some((key) => Object.hasOwn(aliases, key))) return given
  const renamed = new Map<string, unknown>()
  for (const key of keys) {
    const name = nameOf(key, aliases)
    if (!isMissing(given[key]) || !renamed.has(name)) renamed.set(name, given[key])
  }
  return Object.fromEntries(renamed)
}

/** Throws if two spellings of an argument have different values. Equal values, or an empty one, are accepted. */
export function rejectDuplicateArguments(given: Record<string, unknown>, aliases: Aliases): void {
  const spelled = new Map<string, string>()
  for (const [key, value] of Object.entries(given)) {
    if (isMissing(value)) continue
    const name = nameOf(key, aliases)
    const other = spelled.get(name)
    if (other !== undefined && JSON.stringify(given[other]) !== JSON.stringify(value))
      throw new Error(`${other} and ${key} are the same argument with different values; give ${name} once`)
    spelled.set(name, key)
  }
}

function nameOf(key: string, aliases: Aliases): string {
  return Object.hasOwn(aliases, key) ? (aliases[key] as string) : key
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null
}
