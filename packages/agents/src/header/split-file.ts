import { findHeader } from './find-header.ts'
import type { HeaderRepair } from './header-repair.ts'

/** A Markdown file with a header between two lines of three dashes. */
export type SplitFile =
  | {
      readonly kind: 'split'
      readonly header: readonly string[]
      /** The line number of the header. */
      readonly headerLine: number
      /** Unchanged. */
      readonly body: string
      readonly rescues: readonly HeaderRepair[]
      /** The text before the header, as comments for it. */
      readonly notes: readonly string[]
      /** The line ending for new lines. */
      readonly end: string
    }
  | { readonly kind: 'empty' }
  /** In some programs, a word after the dashes names a language to evaluate. Cadre evaluates nothing. */
  | { readonly kind: 'language'; readonly line: number; readonly language: string }
  | { readonly kind: 'no-header' }

const opening = /^---[ \t]*\r?\n/
const closing = /\n---[ \t]*(?:\r?\n|$)/g

/** Splits at whole lines, so that dashes within a value or a comment end nothing. */
export function splitFile(text: string): SplitFile {
  return splitStrictly(text) ?? findHeader(text)
}

/** Handles well-formed files, which nearly all are. */
function splitStrictly(text: string): SplitFile | undefined {
  const open = opening.exec(text)?.[0]
  if (open === undefined) return undefined
  // Starts at the end of the first line, because the header may be empty.
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
