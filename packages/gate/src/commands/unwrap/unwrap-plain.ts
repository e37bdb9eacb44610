import { readOptions } from '../read-options.ts'
import type { Unwrap } from '../reader.ts'
import { type ShellWord, showWords } from '../shell-word.ts'
import { transparent, visible } from './wrapper-options.ts'

const assignment = /^([A-Za-z_]\w*)=/

/** `timeout 5 x`, `sudo x`: options, perhaps a few words, then a command. */
export const unwrapPlain: Unwrap = (words, reader, program) => {
  const isTransparent = Object.hasOwn(transparent, program)
  const spec = (isTransparent ? transparent[program] : visible[program]) ?? {}
  const { rest, operands, unknown } = readOptions(words, spec)
  if (unknown !== undefined) reader.doubt(`${program} has an option that is not understood: ${unknown}`)
  if (operands.some(({ kind }) => kind !== 'plain'))
    reader.doubt(`what ${program} gets is only known when it runs`)
  const inner = afterAssignments(rest, reader)
  if (inner.length > 0) reader.command(inner)
  // Alone it starts a shell, or what its options say.
  else if (!isTransparent) reader.doubt(`${program} does not say what it starts`)
  return isTransparent && inner.length > 0 ? { covered: true } : {}
}

/** `env -i A=b x`. */
export const unwrapEnv: Unwrap = (words, reader) => {
  const { rest, options, unknown } = readOptions(words, {
    flags: 'i0v',
    values: 'uCSaP',
    long: ['ignore-environment', 'null', 'debug', 'list-signal-handling'],
    longValues: ['unset', 'chdir', 'split-string', 'argv0'],
  })
  if (unknown !== undefined) reader.doubt(`env has an option that is not understood: ${unknown}`)
  for (const { name, value } of options) {
    if (name === 'C' || name === 'chdir') reader.folder(value)
    if (name === 'u' || name === 'unset') reader.variable(value?.value ?? '')
    if (name === 'P' || name === 'a' || name === 'argv0')
      reader.doubt('env is told another name or path for what it starts')
    if (name === 'S' || name === 'split-string') {
      reader.doubt('env splits a text into words by rules of its own')
      if (value !== undefined)
        reader.script({ ...value, value: `${value.value} ${showWords(rest.map((word) => word.value))}` })
    }
  }
  // A lone `-` is `-i`.
  const inner = afterAssignments(rest[0]?.value === '-' ? rest.slice(1) : rest, reader)
  if (inner.length === 0) return {}
  reader.command(inner)
  return { covered: true }
}

/** `command x`, `builtin x`, `exec x`. `command -v x` only asks where it is. */
export const unwrapBuiltin: Unwrap = (words, reader, program) => {
  const { rest, options, unknown } = readOptions(
    words,
    program === 'exec' ? { flags: 'cl', values: 'a' } : { flags: 'pvV' },
  )
  if (unknown !== undefined) reader.doubt(`${program} has an option that is not understood: ${unknown}`)
  if (program === 'command' && options.some(({ name }) => name === 'v' || name === 'V')) return {}
  if (rest.length === 0) return program === 'exec' ? { covered: true } : {}
  reader.command(rest)
  return { covered: true }
}

/** What it starts gets words from the input, which nobody has seen. */
export const unwrapXargs: Unwrap = (words, reader) => {
  const { rest, options, unknown } = readOptions(words, {
    flags: '0rtpxo',
    values: 'InPLsEadJRS',
    optional: 'iel',
    long: [
      'null',
      'no-run-if-empty',
      'verbose',
      'interactive',
      'exit',
      'open-tty',
      'replace',
      'max-lines',
      'eof',
      'show-limits',
    ],
    longValues: ['max-args', 'max-procs', 'max-chars', 'arg-file', 'delimiter', 'process-slot-var'],
  })
  if (unknown !== undefined) reader.doubt(`xargs has an option that is not understood: ${unknown}`)
  const replaced = options.find(({ name }) => ['I', 'i', 'replace', 'J'].includes(name))
  const mark = replaced && (replaced.value?.value ?? '{}')
  const inner = rest.map((word) => fill(word, mark))
  if (inner.length > 0) reader.command(mark === undefined ? [...inner, { value: '…', kind: 'open' }] : inner)
  return { covered: true }
}

/** A word in which something will be put. */
export function fill(word: ShellWord, mark: string | undefined): ShellWord {
  return mark !== undefined && mark !== '' && word.value.includes(mark) ? { ...word, kind: 'open' } : word
}

function afterAssignments(
  words: readonly ShellWord[],
  reader: { variable(name: string): void },
): readonly ShellWord[] {
  let at = 0
  for (; at < words.length; at++) {
    const name = assignment.exec(words[at]?.value ?? '')?.[1]
    if (name === undefined) break
    reader.variable(name)
  }
  return words.slice(at)
}
