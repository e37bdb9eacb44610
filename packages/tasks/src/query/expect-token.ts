import { didYouMean } from '@cadre/core'
import type { Scanner, Token } from './scan-query.ts'

/** Consumes the keyword if it is next. */
export function acceptToken(scanner: Scanner, keyword: string): boolean {
  if (!isKeyword(scanner.peek(), keyword)) return false
  scanner.next()
  return true
}

export function isKeyword(token: Token, keyword: string): boolean {
  return token.kind === 'word' && token.text.toUpperCase() === keyword
}

export function isSign(token: Token, sign: string): boolean {
  return token.kind === 'sign' && token.text === sign
}

/** Creates the error for an unexpected token. */
export function unexpectedToken(
  scanner: Scanner,
  token: Token,
  wanted: string,
  keywords: readonly string[] = wanted.match(/\b[A-Z]{2,}\b/g) ?? [],
): never {
  const hint = token.kind === 'word' ? didYouMean(token.text, keywords) : ''
  return scanner.fail(token.at, `Expected ${wanted}, not ${shownToken(token)}${hint || '.'}`)
}

function shownToken(token: Token): string {
  if (token.kind === 'end') return 'the end of the query'
  const shown = token.text.length > 40 ? `${token.text.slice(0, 40)}…` : token.text
  return token.kind === 'text' ? `the text ${JSON.stringify(shown)}` : JSON.stringify(shown)
}
