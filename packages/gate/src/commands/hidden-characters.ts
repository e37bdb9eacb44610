/** Line breaks and tabs are what people write. All other controls change what is shown or what is read. */
const control = /(?![\n\t])\p{Cc}/u
/** Directions, joiners and marks without width: what a person reads is not what would run. */
const invisible = /[\p{Cf}\p{Cs}\u2028\u2029]/u
const unusual = /(?! )[\p{Zs}]|\p{Default_Ignorable_Code_Point}|\p{Co}|\u2800/u

/** What most lines consist of, and nothing else. */
const plain = /^[\n\t -~]*$/

/** Why a line cannot be shown to a person as it is; nothing when it can. */
export function refuseHidden(source: string): string | undefined {
  if (plain.test(source)) return undefined
  const found = control.exec(source) ?? invisible.exec(source)
  if (found === null) return undefined
  const what = control.test(found[0]) ? 'a control character' : 'an invisible character'
  const code = (found[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return `it contains ${what}, U+${code}, at position ${found.index + 1}. Write the line without it`
}

/** Spaces that are none, and blanks: harmless as text, and easily taken for something else. */
export function hasUnusual(source: string): boolean {
  return !plain.test(source) && unusual.test(source)
}
