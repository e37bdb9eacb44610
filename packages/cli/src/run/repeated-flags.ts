export interface RepeatedFlags {
  readonly home?: string | undefined
  readonly trust?: boolean | undefined
}

/** What a person has to repeat so that another command finds the same home, and uses it; nothing when it does without. */
export function repeatedFlags({ home, trust }: RepeatedFlags): string {
  return `${home === undefined ? '' : ` --home ${quoted(home)}`}${trust ? ' --trust' : ''}`
}

function quoted(word: string): string {
  return /^[\w./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

export interface ResumedFlags extends RepeatedFlags {
  readonly allow?: readonly string[] | undefined
}

/** What a person has to repeat so that a run goes on as it was: what was agreed to for one command holds for that one only. */
export function resumeFlags(flags: ResumedFlags): string {
  const allowed = (flags.allow ?? []).map((effect) => ` --allow ${effect}`).join('')
  return `${repeatedFlags(flags)}${allowed}`
}
