/** Control and format characters, and all that have no shape: zero-width characters, direction marks, tags and variation selectors. */
const unseen = /(?![\n\t])\p{Cc}|\p{Cf}|\p{DI}|[\u2028\u2029]/gu

/** Text of a server as a person would see it. Hidden characters are how instructions for models are smuggled into descriptions. */
export function plainText(text: string, longest: number): string {
  const seen = text.replace(unseen, '')
  return seen.length <= longest ? seen : `${seen.slice(0, longest)}…`
}
