// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes.
const invisible = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]|(?![\u200c\u200d])\p{Cf}/gu

/** Removes control and invisible characters, which could hide text from a person or imitate another program. Keeps line feeds and tabs. */
export function cleanMultiline(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(invisible, '')
}
