/// <reference lib="es2024.string" />

import type { Json } from '@cadre/core'
import { isObject } from '@cadre/disk'

/**
 * Below a header, and in a block of YAML, a text loses its blank edges and its CR LF. What was lost is written beside it,
 * so that the text can be made whole again.
 */
export interface PromptSpace {
  readonly before?: string
  readonly after?: string
  /** Every line ends in CR LF, or the numbers of those that do, from 1. */
  readonly crlf?: true | readonly number[]
  /** The whole text, where nothing shorter would do. Holds only for the text it was made from. */
  readonly exact?: string
}

export const promptSpaceKey = 'prompt-space'

/** As every file holds it. */
export function settledPrompt(prompt: string): string {
  return unified(prompt).trim()
}

/** Every end of a line as one line feed, however often it is done. */
function unified(prompt: string): string {
  return prompt.replaceAll(/\r+\n|\r/g, '\n')
}

/** `undefined` when nothing is lost. */
export function spaceOf(prompt: string): PromptSpace | undefined {
  const text = settledPrompt(prompt)
  if (text === prompt && prompt.isWellFormed()) return undefined
  const whole = unified(prompt)
  const from = whole.indexOf(text)
  const before = whole.slice(0, from)
  const after = whole.slice(from + text.length)
  const crlf = lineEnds(prompt)
  const space: PromptSpace = {
    ...(before !== '' && { before }),
    ...(after !== '' && { after }),
    ...(crlf !== undefined && { crlf }),
  }
  return withSpace(text, space) === prompt && prompt.isWellFormed() ? space : { exact: prompt }
}

/** The text as it was. */
export function withSpace(text: string, { before = '', after = '', crlf, exact }: PromptSpace): string {
  if (exact !== undefined)
    return settledPrompt(exact).toWellFormed() === settledPrompt(text).toWellFormed() ? exact : text
  const whole = `${before}${text}${after}`
  if (crlf === undefined) return whole
  let line = 0
  return whole.replaceAll('\n', () => {
    line++
    return crlf === true || crlf.includes(line) ? '\r\n' : '\n'
  })
}

/** `undefined` for anything that was not written by `spaceOf`. */
export function readSpace(value: Json): PromptSpace | undefined {
  if (!isObject(value)) return undefined
  const { before, after, crlf, exact, ...rest } = value
  const isText = [before, after, exact].every((part) => part === undefined || typeof part === 'string')
  const isEnds =
    crlf === undefined ||
    crlf === true ||
    (Array.isArray(crlf) && crlf.every((line) => typeof line === 'number'))
  const isBlank = `${before ?? ''}${after ?? ''}`.trim() === ''
  return isText && isEnds && isBlank && Object.keys(rest).length === 0 ? (value as PromptSpace) : undefined
}

function lineEnds(prompt: string): true | readonly number[] | undefined {
  const ends = [...prompt.matchAll(/\r?\n/g)].map(([end], index) => (end === '\r\n' ? index + 1 : 0))
  const lines = ends.filter((line) => line > 0)
  if (lines.length === 0) return undefined
  return lines.length === ends.length ? true : lines
}
