/// <reference lib="es2024.string" />

import { isObject, type Json } from '@cadre/core'

/**
 * Below a header, and in a YAML block, a text loses blank lines at its edges and its CR LF. They are stored separately, so
 * that the text can be restored.
 */
export interface PromptWhitespace {
  readonly before?: string
  readonly after?: string
  /** True if every line ends in CR LF; otherwise the numbers of those lines, from 1. */
  readonly crlf?: true | readonly number[]
  /** The whole text, if nothing shorter is enough. Applies only to the text it was made from. */
  readonly exact?: string
}

export const promptWhitespaceKey = 'prompt-space'

/** The text as every file stores it. */
export function normalisePrompt(prompt: string): string {
  return unifyLineEnds(prompt).trim()
}

/** Normalizes line endings to line feeds; idempotent. */
function unifyLineEnds(prompt: string): string {
  return prompt.replaceAll(/\r+\n|\r/g, '\n')
}

/** Returns `undefined` if nothing is lost. */
export function findLostWhitespace(prompt: string): PromptWhitespace | undefined {
  const text = normalisePrompt(prompt)
  if (text === prompt && prompt.isWellFormed()) return undefined
  const whole = unifyLineEnds(prompt)
  const from = whole.indexOf(text)
  const before = whole.slice(0, from)
  const after = whole.slice(from + text.length)
  const crlf = lineEnds(prompt)
  const space: PromptWhitespace = {
    ...(before !== '' && { before }),
    ...(after !== '' && { after }),
    ...(crlf !== undefined && { crlf }),
  }
  return restorePromptWhitespace(text, space) === prompt && prompt.isWellFormed() ? space : { exact: prompt }
}

/** Restores the original text. */
export function restorePromptWhitespace(
  text: string,
  { before = '', after = '', crlf, exact }: PromptWhitespace,
): string {
  if (exact !== undefined)
    return normalisePrompt(exact).toWellFormed() === normalisePrompt(text).toWellFormed() ? exact : text
  const whole = `${before}${text}${after}`
  if (crlf === undefined) return whole
  let line = 0
  return whole.replaceAll('\n', () => {
    line++
    return crlf === true || crlf.includes(line) ? '\r\n' : '\n'
  })
}

/** Returns `undefined` for anything that `spaceOf` did not write. */
export function readPromptWhitespace(value: Json): PromptWhitespace | undefined {
  if (!isObject(value)) return undefined
  const { before, after, crlf, exact, ...rest } = value
  const isText = [before, after, exact].every((part) => part === undefined || typeof part === 'string')
  const isEnds =
    crlf === undefined ||
    crlf === true ||
    (Array.isArray(crlf) && crlf.every((line) => typeof line === 'number'))
  const isBlank = `${before ?? ''}${after ?? ''}`.trim() === ''
  return isText && isEnds && isBlank && Object.keys(rest).length === 0
    ? (value as PromptWhitespace)
    : undefined
}

function lineEnds(prompt: string): true | readonly number[] | undefined {
  const ends = [...prompt.matchAll(/\r?\n/g)].map(([end], index) => (end === '\r\n' ? index + 1 : 0))
  const lines = ends.filter((line) => line > 0)
  if (lines.length === 0) return undefined
  return lines.length === ends.length ? true : lines
}
