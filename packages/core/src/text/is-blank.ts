/** Invisible characters: spaces, controls, format characters, variation selectors, fillers, the empty braille cell. */
const blank = /^[\s\p{Z}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]*$/u

/** Returns whether the text contains only invisible characters. */
export function isBlank(text: string): boolean {
  return blank.test(text)
}
