/** What a person has to repeat so that another command finds the same home; nothing when it is found without. */
export function repeatedFlags({ home }: { readonly home?: string | undefined }): string {
  if (home === undefined) return ''
  return ` --home ${/^[\w./~-]+$/.test(home) ? home : `'${home.replaceAll("'", `'\\''`)}'`}`
}
