/**
 * Text from models, tools and files is data. Printed raw, it could move the cursor, rename the window, write to the
 * clipboard or imitate output of this program. All output for people is cleaned here first.
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

const plain = /^[\n\x20-\x7e]*$/

/** Multi-line text: keeps line feeds, and removes everything that a terminal would interpret. */
export function cleanText(text: string): string {
  if (plain.test(text)) return text
  return cleanData(text).replaceAll('\t', '    ')
}

/** Like `cleanText`, for text that goes to a file or another program: keeps tabs. */
export function cleanData(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(escapes, '').replace(controls, '')
}

/** Cleans text and joins it into one line. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/g, ' ').trim()
}
