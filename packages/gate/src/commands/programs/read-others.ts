import type { Word } from '../line/line.ts'
import { type Arguments, ArgumentsBuilder } from './arguments.ts'

/** Their words are text and nothing else. Names that match a pattern are looked up. */
export function readText(words: readonly Word[]): Arguments {
  const found = new ArgumentsBuilder()
  for (const word of words) if (word.glob !== undefined) found.path(word)
  return found
}

/** Only `command -v NAME`: some systems have a file of that name, which runs what it is given. */
export function readQuestion(words: readonly Word[]): Arguments {
  const found = readText(words) as ArgumentsBuilder
  const [first, second, ...rest] = words.map(({ text }) => text)
  const isQuestion = first === '-v' && /^[\w.][\w.+-]*$/.test(second ?? '') && rest.length === 0
  if (!isQuestion) found.reject(first ?? 'command')
  return found
}

/** The folder it changes to is looked up, also where nothing runs in it. */
export function readFolder(words: readonly Word[]): Arguments {
  const found = new ArgumentsBuilder()
  for (const word of words) found.path(word)
  return found
}

/** `echo -e` is left to the program of that name, which knows fewer escapes than bash. */
export function readEcho(words: readonly Word[]): Arguments {
  const found = readText(words) as ArgumentsBuilder
  const escapes = words.some(({ text }) => /^-[neE]*e/.test(text))
  if (escapes) for (const { text } of words) if (/\\[uUEc]/.test(text)) found.reject(text)
  return found
}

const fileTests = new Set('-b -c -d -e -f -g -G -h -k -L -N -O -p -r -s -S -u -w -x'.split(' '))
const betweenFiles = new Set(['-nt', '-ot', '-ef'])

/** `test` and `[`: what a test of files names is looked up. */
export function readTest(words: readonly Word[]): Arguments {
  const found = new ArgumentsBuilder()
  words.forEach((word, at) => {
    const [before, behind] = [words[at - 1]?.text ?? '', words[at + 1]?.text ?? '']
    if (
      word.glob !== undefined ||
      fileTests.has(before) ||
      betweenFiles.has(before) ||
      betweenFiles.has(behind)
    )
      found.path(word)
    // They ask about variables and options of a shell, and evaluate what they are given.
    if (/^-[vR]$/.test(word.text)) found.reject(word.text)
  })
  return found
}

const conversion = /%(?:%|-?\d*(?:\.\d+)?s|-?c|[-+ 0]*\d*(?:\.\d+)?[diu]|[-+ 0#]*\d*(?:\.\d+)?[oxXfeEgG])/g
const escapeCode = /\\(?:[\\"abfnrtv]|[0-7]{1,3})/g

/** Only what bash and the program of that name understand alike. */
export function readPrintf(words: readonly Word[]): Arguments {
  const found = readText(words) as ArgumentsBuilder
  const [first, ...rest] = words
  const format = first?.text === '--' ? rest[0] : first
  if (format === undefined) {
    found.reject('printf')
    return found
  }
  const isPlain = !/[%\\]/.test(format.text.replace(escapeCode, '').replace(conversion, ''))
  if (!isPlain || format.glob !== undefined || (first === format && format.text.startsWith('-')))
    found.reject(format.text)
  return found
}

const psValues = new Set(
  '-o -p -C -u -U -g -G -t --sort --ppid --pid --user --format --cols --columns --lines --width'.split(' '),
)
const psFlags =
  /^(?:-[AadeFfljTNwyLMcHV]+|[axuwfljsvTrn]+|--(?:headers?|no-headers|forest|deselect|help|version))$/

/** Without the letter by which environments are shown. */
export function readPs(words: readonly Word[]): Arguments {
  const found = readText(words) as ArgumentsBuilder
  for (let at = 0; at < words.length; at++) {
    const { text, glob } = words[at] as Word
    if (glob !== undefined || words[at + 1]?.glob !== undefined) found.reject(text)
    else if (psValues.has(text.split('=')[0] as string)) at += text.includes('=') ? 0 : 1
    else if (!psFlags.test(text)) found.reject(text)
  }
  return found
}
