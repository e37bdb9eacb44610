import type { FoundCommand } from './command-line.ts'
import { programOf } from './program-name.ts'
import { patternFirst } from './programs.ts'

export interface Operand {
  readonly value: string
  /** It stands for the names of files that fit it. */
  readonly isGlob: boolean
  /** Perhaps it is none: it counts only where it leads to a place that may not be used. */
  readonly isGuess: boolean
}

/** Words that may be paths, also behind `=` and attached to a short option. */
export function operandsOf(command: FoundCommand): readonly Operand[] {
  const program = programOf(command.words[0] ?? '')
  const found: Operand[] = []
  let skips = patternFirst.has(program) && !command.words.some(givesPattern) ? 1 : 0
  command.words.forEach((word, at) => {
    const before = command.words[at - 1] ?? ''
    if (patternFirst.has(program) && /^-[a-zA-Z]*e$|^--(?:regexp|expression)$/.test(before)) return
    if (at === 0 || command.open?.includes(at) || word === '' || word.length > 4_000) return
    if (word.startsWith('-') && word !== '-') {
      for (const value of valuesIn(word)) {
        const isPath = /^(?:[/~]|\.\.?(?:\/|$))|\//.test(value)
        if (isPath || value.length > 1) found.push({ value, isGlob: false, isGuess: !isPath })
      }
      return
    }
    // Behind a long option it may be the value of that option, and a path.
    const isValue = /^--[^=]+$/.test(before) && /^(?:[/~]|\.\.)/.test(word)
    if (word === '-' || (!isValue && skips-- > 0)) return
    const isGlob = command.globs?.includes(at) ?? false
    const add = (value: string, isGuess = false) => found.push({ value, isGlob, isGuess })
    const url = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/i.exec(word)
    const isAddress = url !== null && url[1]?.toLowerCase() !== 'file'
    // For a program that knows no addresses it is a path with a colon.
    if (url !== null) add(`./${word}`, true)
    if (isAddress) return
    const isSetting = /^\w+=(?=.)/.test(word)
    const value = isSetting ? word.slice(word.indexOf('=') + 1) : word
    const isPath = !isSetting || /[/~]/.test(value)
    add(url?.[2] ?? (isPath ? value : word))
    if (isSetting) add(isPath ? word : value, true)
  })
  return found
}

/** What an option brings with it: behind `=`, or behind its letters, of which nobody knows how many there are. */
function valuesIn(option: string): readonly string[] {
  if (option.startsWith('--')) return option.includes('=') ? [option.slice(option.indexOf('=') + 1)] : []
  const letters = /^-[A-Za-z]+/.exec(option)?.[0].length ?? 1
  const starts = Array.from({ length: Math.min(letters, 6) - 1 }, (_, index) => index + 2)
  return starts.map((start) => option.slice(start).replace(/^=/, ''))
}

/** With such an option every word that is none is a path. */
function givesPattern(word: string): boolean {
  const name = word.split('=')[0] as string
  if (/^-[a-zA-Z]*[ef]/.test(word) || word === '--files') return true
  return (
    name.length > 2 &&
    ['--regexp', '--file', '--expression', '--from-file'].some((option) => option.startsWith(name))
  )
}
