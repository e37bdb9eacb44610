/**
 * Text from models, tools and files is data. Printed raw, it could move the cursor, rename the window, write to the
 * clipboard or imitate output of this program. Hidden characters are how instructions for models are smuggled into texts.
 */

// Control strings with their content (OSC, DCS, APC, PM, SOS), control sequences, other escapes. An unterminated control
// string loses only its start, because a person must see the rest.
const escapes =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes.
  /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b[ -/]*[0-~]?/g

// What is left of control and format characters. Tab and line feed stay; so do the joiners that emoji and scripts need.
// The bidirectional controls go: they can show a text in another order than it has.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes.
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f]|(?![\u200c\u200d])\p{Cf}|[\u2028\u2029]/gu

/** Text with line feeds and tabs, and without anything that a terminal would interpret or a person could not see. */
export function cleanData(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(escapes, '').replace(controls, '')
}

/** Text in one line, at most `max` characters long. */
export function shortLine(text: string, max: number): string {
  const line = cleanData(text).replace(/\s+/g, ' ').trim()
  return line.length <= max ? line : `${line.slice(0, max - 1).trimEnd()}…`
}

/** All characters that have no shape: also joiners and variation selectors. */
const shapeless = /\p{DI}/gu

/** Text from a server exactly as a person would see it, for people and models. Also removes the joiners that `cleanData` keeps. */
export function plainText(text: string, max: number): string {
  const seen = cleanData(text).replace(shapeless, '')
  return seen.length <= max ? seen : `${seen.slice(0, max)}…`
}
