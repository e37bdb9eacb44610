/**
 * JSON for a reader that may be a terminal: control and format characters are escaped, so that a terminal does not
 * interpret them and the value stays the same.
 */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/[\x7f-\x9f\p{Cf}\u2028\u2029]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}
