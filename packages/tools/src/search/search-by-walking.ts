import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { Matcher } from '@cadre/disk'
import type { ConfinedPath } from '../files/confine-path.ts'
import { openRegularFile } from '../files/open-file.ts'
import { encodingOf } from '../files/text.ts'
import { Refusal } from '../refusal.ts'
import { type LineMatcher, lineMatcher } from './line-matcher.ts'
import { walkFolder } from './walk.ts'

export interface SearchRequest {
  readonly root: string
  readonly place: ConfinedPath
  readonly queries: readonly string[]
  readonly regex: boolean
  readonly ignoreCase: boolean
  readonly context: number
  /** The maximum number of matching lines. */
  readonly max: number
  readonly filter?: Matcher
}

export interface FoundLine {
  readonly path: string
  readonly line: number
  readonly text: string
  /** False for a context line. */
  readonly isMatch: boolean
}

/** Passes results to `take`; resolves with true if there are more than requested. */
export type Search = (
  request: SearchRequest,
  take: (line: FoundLine) => void,
  signal: AbortSignal,
) => Promise<boolean>

const maxFileSize = 10_000_000

/** Searches without ripgrep: the same results, but slower. */
export const searchByWalking: Search = async (request, take, signal) => {
  const { root, place, filter } = request
  const matcher = lineMatcher(request)
  let left = request.max
  const files = (await stat(place.real)).isFile() ? [place.shown] : walkFolder(root, place.shown, signal)
  for await (const file of files) {
    signal.throwIfAborted()
    if (filter !== undefined && !filter(file)) continue
    const text = await textOf({ root, shown: file, real: path.join(root, file) })
    if (text === undefined) continue
    for (const line of linesIn(text, file, matcher, request.context)) {
      if (line.isMatch && left-- === 0) return true
      take(line)
    }
  }
  return false
}

async function textOf(file: ConfinedPath): Promise<string | undefined> {
  try {
    await using opened = await openRegularFile(file)
    if (opened.stats.size > maxFileSize) return undefined
    const bytes = await opened.handle.readFile()
    return encodingOf(bytes) === 'utf-8' ? bytes.toString('utf8') : undefined
  } catch (error) {
    if (error instanceof Refusal || (error as NodeJS.ErrnoException).code === 'EACCES') return undefined
    throw error
  }
}

function* linesIn(text: string, file: string, matches: LineMatcher, context: number): Generator<FoundLine> {
  const numbers = matches(text)
  if (numbers.length === 0) return
  const lines = text.split('\n')
  const found = new Set(numbers)
  let shown = 0
  for (const number of numbers) {
    for (
      let at = Math.max(number - context, shown + 1, 1);
      at <= Math.min(number + context, lines.length);
      at++
    ) {
      yield { path: file, line: at, text: lines[at - 1] as string, isMatch: found.has(at) }
      shown = at
    }
  }
}
