export interface RepeatedFlags {
  readonly home?: string | undefined
  readonly trust?: boolean | undefined
}

/** The flags to repeat so that another command uses the same home; empty if none are needed. */
export function repeatedFlags({ home, trust }: RepeatedFlags): string {
  return `${home === undefined ? '' : ` --home ${quoteWord(home)}`}${trust ? ' --trust' : ''}`
}

function quoteWord(word: string): string {
  return /^[\w./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
