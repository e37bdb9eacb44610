/**
 * People edit task files in any editor and any ASCII-compatible encoding. To preserve every byte, Cadre handles a file as text with one
 * character per byte, and decodes only single values.
 */

/** Raw text of a file: every character is one byte. */
export type RawText = string

export function rawOf(text: string): RawText {
  return Buffer.from(text, 'utf8').toString('latin1')
}

const beyondAscii = /[\u0080-\u00ff]/

export function textOf(raw: RawText): string {
  return beyondAscii.test(raw) ? Buffer.from(raw, 'latin1').toString('utf8') : raw
}
