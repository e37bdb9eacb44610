/** Lower-case letters without accents: `Été` becomes `ete`. */
export function plainText(text) {
  return text
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
}
