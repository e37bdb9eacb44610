import type { ShellWord } from './shell-word.ts'

/** The options of a program, as far as needed to find where they end. Letters are short options. */
export interface OptionSpec {
  readonly flags?: string
  /** Short options with a value, attached or behind. */
  readonly values?: string
  /** Short options with a value only when it is attached. */
  readonly optional?: string
  readonly long?: readonly string[]
  readonly longValues?: readonly string[]
  /** `-5` is an option. */
  readonly digits?: boolean
  /** Words before the rest that are neither: the duration of `timeout`. */
  readonly operands?: number
}

export interface ReadOptions {
  readonly options: readonly { readonly name: string; readonly value?: ShellWord }[]
  readonly operands: readonly ShellWord[]
  readonly rest: readonly ShellWord[]
  /** What was not understood: where the options end is then a guess. */
  readonly unknown?: string
}

/** Reads options up to the first word that is none, as `getopt` does: clusters, attached values, unique beginnings. */
export function readOptions(words: readonly ShellWord[], spec: OptionSpec): ReadOptions {
  const options: { name: string; value?: ShellWord }[] = []
  let unknown: string | undefined
  let at = 0
  for (; at < words.length; at++) {
    const word = words[at] as ShellWord
    if (word.kind !== 'plain') {
      unknown ??= word.value
      break
    }
    if (word.value === '--') {
      at++
      break
    }
    if (!word.value.startsWith('-') || word.value === '-') break
    const taken = word.value.startsWith('--') ? takeLong(word.value) : takeShort(word.value)
    if (taken === undefined) unknown ??= word.value
    else if (taken === 'next') at++
  }
  const count = spec.operands ?? 0
  return {
    options,
    operands: words.slice(at, at + count),
    rest: words.slice(at + count),
    ...(unknown !== undefined && { unknown }),
  }

  function takeLong(text: string): 'done' | 'next' | undefined {
    const equals = text.indexOf('=')
    const written = text.slice(2, equals < 0 ? undefined : equals)
    const { long = [], longValues = [] } = spec
    const fits = [...long, ...longValues].filter((name) => name.startsWith(written))
    const name = fits.includes(written) ? written : fits.length === 1 ? fits[0] : undefined
    if (name === undefined || written === '') return undefined
    if (equals >= 0) {
      options.push({ name, value: { value: text.slice(equals + 1), kind: 'plain' } })
      return 'done'
    }
    const hasValue = longValues.includes(name)
    push(name, hasValue ? words[at + 1] : undefined)
    return hasValue ? 'next' : 'done'
  }

  function takeShort(text: string): 'done' | 'next' | undefined {
    if (spec.digits === true && /^-\d+$/.test(text)) return 'done'
    for (let i = 1; i < text.length; i++) {
      const letter = text[i] as string
      const attached = text.slice(i + 1)
      if (spec.values?.includes(letter)) {
        if (attached !== '') options.push({ name: letter, value: { value: attached, kind: 'plain' } })
        else push(letter, words[at + 1])
        return attached === '' ? 'next' : 'done'
      }
      if (spec.optional?.includes(letter)) {
        push(letter, attached === '' ? undefined : { value: attached, kind: 'plain' })
        return 'done'
      }
      if (!spec.flags?.includes(letter)) return undefined
      push(letter, undefined)
    }
    return 'done'
  }

  function push(name: string, value: ShellWord | undefined) {
    options.push(value === undefined ? { name } : { name, value })
  }
}
