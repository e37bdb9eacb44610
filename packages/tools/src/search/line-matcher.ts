import vm from 'node:vm'
import { sentenceOf } from '@cadre/core'
import { escapeRegex } from '@cadre/disk'
import { codeOf, Refusal } from '../refusal.ts'

const script = new vm.Script(`
  (() => {
    const places = []
    for (const match of text.matchAll(new RegExp(source, flags))) {
      if (places.push(match.index) > 2000) break
    }
    return places.join()
  })()
`)

/** Returns the line numbers, from 1, at which a match starts. */
export type LineMatcher = (text: string) => number[]

const maxPerFile = 100
const timeoutMs = 500

export interface LineQuery {
  readonly queries: readonly string[]
  readonly regex: boolean
  readonly ignoreCase: boolean
}

export function lineMatcher({ queries, regex, ignoreCase }: LineQuery): LineMatcher {
  const source = queries
    .map((query) => (regex ? query : escapeRegex(query).replaceAll('\n', '\\r?\\n')))
    .join('|')
  const flags = `gm${ignoreCase ? 'i' : ''}`
  try {
    new RegExp(source, flags)
  } catch (error) {
    throw new Refusal(`The regular expression is invalid: ${sentenceOf(error)}`)
  }
  // A regular expression can run forever, and only a script in a separate context can be stopped.
  const context = vm.createContext({ text: '', source, flags })
  return (text) => {
    let places: number[]
    try {
      context['text'] = text
      const found = String(script.runInContext(context, { timeout: timeoutMs }))
      places = found === '' ? [] : found.split(',').map(Number)
    } catch (error) {
      if (codeOf(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
        throw new Refusal('The regular expression takes too long on this text. Use a simpler one.')
      }
      throw error
    }
    return linesOf(text, places)
  }
}

function linesOf(text: string, places: readonly number[]): number[] {
  const numbers: number[] = []
  let line = 1
  let from = 0
  for (const place of places) {
    for (let next = text.indexOf('\n', from); next !== -1 && next < place; next = text.indexOf('\n', from)) {
      line++
      from = next + 1
    }
    if (numbers.at(-1) !== line && numbers.length < maxPerFile) numbers.push(line)
  }
  return numbers
}
