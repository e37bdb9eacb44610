import { Refusal } from '../refusal.ts'

/** A whole text, with its byte order mark and line endings, which must be restored. */
export interface Text {
  readonly text: string
  readonly mark: '' | '\ufeff'
}

/** Enough of a file to detect its type. */
export const sniffLength = 8_192

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'binary'

export function encodingOf(head: Uint8Array): Encoding {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  return head.subarray(0, sniffLength).includes(0) ? 'binary' : 'utf-8'
}

/** For editing: rejects text that would change when it is read and written back. */
export function decodeText(bytes: Uint8Array, shown: string): Text {
  if (encodingOf(bytes) !== 'utf-8')
    throw new Refusal(
      `${shown} is not a UTF-8 text file. You can only replace the whole file, with write_file.`,
    )
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Refusal(
      `${shown} contains bytes that are not UTF-8. You can only replace the whole file, with write_file.`,
    )
  }
  return text.startsWith('\ufeff') ? { text: text.slice(1), mark: '\ufeff' } : { text, mark: '' }
}

/** Returns the most common line ending of a text. */
export function lineEndOf(text: string): '\n' | '\r\n' {
  let all = 0
  let withReturn = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    all++
    if (text[at - 1] === '\r') withReturn++
  }
  return withReturn * 2 > all ? '\r\n' : '\n'
}

export function convertLineEndings(text: string, lineEnd: '\n' | '\r\n'): string {
  const plain = text.replaceAll('\r\n', '\n')
  return lineEnd === '\n' ? plain : plain.replaceAll('\n', '\r\n')
}

/** Cuts between characters, never inside one. */
export function truncateText(text: string, max: number): string {
  if (text.length <= max) return text
  const code = text.charCodeAt(max - 1)
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? max - 1 : max)
}
