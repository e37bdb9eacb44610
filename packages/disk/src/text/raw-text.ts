/**
 * A task file is edited by people, in any editor and any encoding that looks like ASCII where the syntax is. So that not one
 * byte of theirs is lost, a file is worked on as text with one character per byte; only single values are decoded.
 */

/** Text as it is in a file: every character is one byte. */
export type RawText = string

export function rawOf(text: string): RawText {
  return Buffer.from(text, 'utf8').toString('latin1')
}

const beyondAscii = /[\u0080-\u00ff]/

export function textOf(raw: RawText): string {
  return beyondAscii.test(raw) ? Buffer.from(raw, 'latin1').toString('utf8') : raw
}
