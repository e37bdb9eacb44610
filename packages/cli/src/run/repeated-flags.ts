/** What a person has to repeat so that another command finds the same home; nothing when it is found without. */
export function repeatedFlags({ home }: { readonly home?: string | undefined }): string {
  if (home === undefined) return ''
  return ` --home ${/^[\w./~-]+$/.test(home) ? home : `'${home.replaceAll("'", `'\\''`)}'`}`
}

export interface ResumedFlags {
  readonly home?: string | undefined
  readonly trust?: boolean | undefined
  readonly allow?: readonly string[] | undefined
}

/** What a person has to repeat so that a run goes on as it was: what was agreed to for one command holds for that one only. */
export function resumeFlags(flags: ResumedFlags): string {
  const allowed = (flags.allow ?? []).map((effect) => ` --allow ${effect}`).join('')
  return `${repeatedFlags(flags)}${flags.trust ? ' --trust' : ''}${allowed}`
}
