import { CadreError } from '@cadre/core'

/** A query that cannot be executed. The message shows the query, with a caret below the position. */
export class QueryError extends CadreError {
  /** The error, without the query and caret. */
  readonly sentence: string
  /** Counted from 1, over the whole query. */
  readonly column: number

  constructor(query: string, at: number, sentence: string) {
    const column = Math.min(at, query.length) + 1
    super('usage', `${sentence}\n${excerptOf(query, column - 1)}`)
    this.sentence = sentence
    this.column = column
  }
}

/** The longest line shown. Omitted parts are marked. */
const maxWidth = 100

function excerptOf(query: string, at: number): string {
  const start = query.lastIndexOf('\n', at - 1) + 1
  const end = query.indexOf('\n', at)
  const line = query.slice(start, end === -1 ? undefined : end)
  const column = at - start
  const from = column < maxWidth - 20 ? 0 : column - Math.floor(maxWidth / 2)
  const shown = line.slice(from, from + maxWidth)
  const before = from > 0 ? '…' : ''
  const after = from + maxWidth < line.length ? '…' : ''
  // A tab or another character without a fixed width would shift the caret.
  return `  ${before}${shown.replace(/[\p{Cc}\p{Cf}]/gu, ' ')}${after}\n  ${' '.repeat(before.length + column - from)}^`
}
