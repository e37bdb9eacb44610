/** People write line breaks and tabs. All other control characters change what is shown or read. */
const control = /(?![\n\t])\p{Cc}/u
/** Direction marks, joiners and zero-width characters: a person would read something else than what runs. */
const invisible = /[\p{Cf}\p{Cs}\u2028\u2029]/u
const unusual = /(?! )[\p{Zs}]|\p{Default_Ignorable_Code_Point}|\p{Co}|\u2800/u

/** The characters of most lines. */
const plain = /^[\n\t -~]*$/

/** Returns why a line cannot safely be shown to a person, or undefined if it can. */
export function refuseHiddenCharacters(source: string): string | undefined {
  if (plain.test(source)) return undefined
  const found = control.exec(source) ?? invisible.exec(source)
  if (found === null) return undefined
  const what = control.test(found[0]) ? 'a control character' : 'an invisible character'
  const code = (found[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return `the command contains ${what}, U+${code}, at position ${found.index + 1}. Write the command without it`
}

/** True for unusual spaces and blanks: harmless as text, but easy to mistake for something else. */
export function hasUnusualSpaces(source: string): boolean {
  return !plain.test(source) && unusual.test(source)
}
