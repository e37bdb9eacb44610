import { findHeader } from './find-header.ts'
import type { Rescue } from './rescue.ts'

/** A Markdown file with a header between two lines of three dashes. */
export type SplitFile =
  | {
      readonly kind: 'split'
      readonly header: readonly string[]
      /** The line of the file the header begins on. */
      readonly headerLine: number
      /** As it is in the file. */
      readonly body: string
      readonly rescues: readonly Rescue[]
      /** What stood before the header, as comments for it. */
      readonly notes: readonly string[]
      /** How lines end that are written anew. */
      readonly end: string
    }
  | { readonly kind: 'empty' }
  /** A word behind the dashes names a language to evaluate in some programs. Here nothing is evaluated. */
  | { readonly kind: 'language'; readonly line: number; readonly language: string }
  | { readonly kind: 'no-header' }

const opening = /^---[ \t]*\r?\n/
const closing = /\n---[ \t]*(?:\r?\n|$)/g

/** Splits by whole lines, so that dashes within a value or a comment end nothing. */
export function splitFile(text: string): SplitFile {
  return splitStrictly(text) ?? findHeader(text)
}

/** A file as it should be, which nearly all are. */
function splitStrictly(text: string): SplitFile | undefined {
  const open = opening.exec(text)?.[0]
  if (open === undefined) return undefined
  // From the end of the first line on: the header may be empty.
  closing.lastIndex = open.length - 1
  const close = closing.exec(text)
  if (close === null) return undefined
  const header = text
    .slice(open.length, Math.max(open.length, close.index))
    .replaceAll('\r\n', '\n')
    .replace(/\r$/, '')
  if (header.includes('\r') || header.trim() === '') return undefined
  return {
    kind: 'split',
    header: header.split('\n'),
    headerLine: 2,
    body: text.slice(close.index + close[0].length),
    rescues: [],
    notes: [],
    end: open.endsWith('\r\n') ? '\r\n' : '\n',
  }
}
