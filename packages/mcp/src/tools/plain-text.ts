/** Control characters, zero-width characters, marks that change the direction of text, and tag characters. */
const unseen = /(?![\n\t])\p{Cc}|[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu

/** Text of a server as a person would see it. Hidden characters are how instructions for models are smuggled into descriptions. */
export function plainText(text: string, longest: number): string {
  const seen = text.replace(unseen, '')
  return seen.length <= longest ? seen : `${seen.slice(0, longest)}…`
}
