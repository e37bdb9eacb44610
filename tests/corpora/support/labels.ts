import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'

/** What a person who read a file says about it. The text of a description is not stored, only its lines and digest. */
export interface Label {
  readonly path: string
  /** What is unusual about it. */
  readonly kind: string
  readonly status: 'ok' | 'rescued' | 'failed'
  readonly name?: string
  readonly tools?: 'all' | 'none' | readonly string[] | LongList
  readonly model?: string | readonly string[] | null
  readonly description?: LabelledText | null
  readonly agents?: readonly string[]
  readonly handoffs?: number
  readonly maxTurns?: number
  readonly userInvocable?: boolean
  readonly modelInvocable?: boolean
}

/** A long list of names, all on one line of the file. */
export interface LongList {
  readonly line: number
  readonly count?: number
  readonly sha256?: string
}

export interface LabelledText {
  /** Its first and last line in the file. */
  readonly lines: readonly [number, number]
  /** How it is written there. */
  readonly as: 'plain' | 'single' | 'double' | 'block'
  readonly length?: number
  readonly sha256?: string
}

export function isLong(tools: Label['tools']): tools is LongList {
  return typeof tools === 'object' && 'line' in tools
}

export const labelsFile = path.join(import.meta.dirname, '..', 'labels.yaml')

export function readLabels(): readonly Label[] {
  return parse(readFileSync(labelsFile, 'utf8')) as Label[]
}

/** Normalizes texts for comparison: line breaks do not matter. */
export function normalise(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Extracts the description from the labelled lines of the file. */
export function textAt(text: string, { lines, as }: LabelledText): string {
  const [first, last] = lines
  const slice = text
    .split('\n')
    .slice(first - 1, last)
    .join('\n')
  const value = slice.replace(/^\s*description:/, '').trim()
  if (value === slice.trim()) throw new Error(`line ${first} does not begin with description:`)
  if (as === 'block') return normalise(value.replace(/^[|>][-+]?/, ''))
  const quote = as === 'single' ? "'" : as === 'double' ? '"' : undefined
  const isQuoted = value.length > 1 && /^['"]/.test(value) && value.at(-1) === value[0]
  if (isQuoted ? value[0] !== quote : quote !== undefined) throw new Error(`line ${first} is not ${as}`)
  if (quote === undefined) return normalise(value)
  return normalise(as === 'single' ? value.slice(1, -1).replaceAll("''", "'") : JSON.parse(value))
}

/** The names on one line, between brackets, with or without quotes. */
export function namesAt(text: string, line: number): string[] {
  const list = /\[(.*)\]\s*$/.exec(text.split('\n')[line - 1] ?? '')?.[1] ?? ''
  return list.split(',').map((name) => name.trim().replaceAll(/^['"]|['"]$/g, ''))
}
