import type { Word } from '../line/line.ts'
import type { Arguments } from './arguments.ts'
import { splitWords as setOf } from './known-programs.ts'
import { readFindArguments } from './read-find-arguments.ts'

type Reader = (words: readonly Word[], found: Arguments) => void

const fileTests = setOf('-b -c -d -e -f -g -G -h -k -L -N -O -p -r -s -S -u -w -x')
const betweenFiles = setOf('-nt -ot -ef')

const conversion = /%(?:%|-?\d*(?:\.\d+)?s|-?c|[-+ 0]*\d*(?:\.\d+)?[diu]|[-+ 0#]*\d*(?:\.\d+)?[oxXfeEgG])/g
const escapeCode = /\\(?:[\\"abfnrtv]|[0-7]{1,3})/g

const psValues = setOf(
  '-o -p -C -u -U -g -G -t --sort --ppid --pid --user --format --cols --columns --lines --width',
)
const psFlags =
  /^(?:-[AadeFfljTNwyLMcHV]+|[axuwfljsvTrn]+|--(?:headers?|no-headers|forest|deselect|help|version))$/

/** Their arguments are only text. Matching names of a pattern are checked. */
const readText: Reader = (words, found) => {
  for (const word of words) if (word.glob !== undefined) found.path(word)
}

/** `test` and `[`: files in file tests are checked. */
const readTest: Reader = (words, found) => {
  words.forEach((word, at) => {
    const [before, behind] = [words[at - 1]?.text ?? '', words[at + 1]?.text ?? '']
    const isFile = fileTests.has(before) || betweenFiles.has(before) || betweenFiles.has(behind)
    if (isFile || word.glob !== undefined) found.path(word)
    // These operators test shell variables and options, and evaluate their argument.
    if (/^-[vR]$/.test(word.text)) found.reject(word.text)
  })
}

/** Programs whose arguments do not fit the options and operands of `spec.ts`. */
export const otherReadOnlyPrograms: { readonly [name: string]: Reader } = {
  ...Object.fromEntries('pwd true false : expr export exit'.split(' ').map((name) => [name, readText])),
  find: readFindArguments,
  test: readTest,
  '[': readTest,

  /** The folder is checked, even if nothing runs in it. */
  cd(words, found) {
    for (const word of words) found.path(word)
  },

  /** Only `command -v NAME`: some systems have a program with that name, which runs its arguments. */
  command(words, found) {
    readText(words, found)
    const [first, second, ...rest] = words.map(({ text }) => text)
    const isQuestion = first === '-v' && /^[\w.][\w.+-]*$/.test(second ?? '') && rest.length === 0
    if (!isQuestion) found.reject(first ?? 'command')
  },

  /** `echo -e` is left to the external program, which supports fewer escapes than bash. */
  echo(words, found) {
    readText(words, found)
    const escapes = words.some(({ text }) => /^-[neE]*e/.test(text))
    if (escapes) for (const { text } of words) if (/\\[uUEc]/.test(text)) found.reject(text)
  },

  /** Only what bash and the external program interpret the same way. */
  printf(words, found) {
    readText(words, found)
    const [first, ...rest] = words
    const format = first?.text === '--' ? rest[0] : first
    if (format === undefined) return found.reject('printf')
    const isPlain = !/[%\\]/.test(format.text.replace(escapeCode, '').replace(conversion, ''))
    if (!isPlain || format.glob !== undefined || (first === format && format.text.startsWith('-')))
      found.reject(format.text)
  },

  /** Without the letter that shows environments. */
  ps(words, found) {
    readText(words, found)
    for (let at = 0; at < words.length; at++) {
      const { text, glob } = words[at] as Word
      if (glob !== undefined || words[at + 1]?.glob !== undefined) found.reject(text)
      else if (psValues.has(text.split('=')[0] as string)) at += text.includes('=') ? 0 : 1
      else if (!psFlags.test(text)) found.reject(text)
    }
  },
}
