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
