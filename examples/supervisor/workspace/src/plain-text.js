/** Letters without their accents, in small letters: `Été` becomes `ete`. */
export function plainText(text) {
  return text
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
}
