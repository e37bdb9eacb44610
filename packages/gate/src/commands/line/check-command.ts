import { NeedsShell } from './cursor.ts'
import { listedVariables, reservedWords, shellBuiltins } from './known-words.ts'
import type { Command, Word } from './line.ts'
import type { WrittenWord } from './read-words.ts'

/** Requires that the first word of a command is a plain program name. */
export function requireProgram({ word, hasBraces }: WrittenWord): void {
  const { text } = word
  if (!isLiteral(word) || hasBraces) throw new NeedsShell('the program name is a pattern')
  if (reservedWords.has(text)) throw new NeedsShell(`the command uses ${text}`)
  if (shellBuiltins.has(text)) throw new NeedsShell(`the command uses ${text}, which only a shell can run`)
  if (!/^(?:\[|:|[\w./@+][\w./@+-]*)$/.test(text))
    throw new NeedsShell('the program name contains unusual characters')
}

/** Commands that the runner implements accept few arguments, and file descriptors cannot be opened by name. */
export function checkCommand({ words, variables, redirects }: Command): void {
  const name = words[0]?.text
  if (name === undefined && Object.keys(variables).length > 0)
    throw new NeedsShell('the command sets a variable for the rest of the line')
  if (name === undefined && redirects.length === 0)
    throw new NeedsShell('the syntax of the command is too complex')
  for (const { text } of words)
    if (/\/proc\/|\/dev\/(?:.*\/)?(?:std|fd|tty)/.test(`/${text}`))
      throw new NeedsShell('the command uses a descriptor or a process as a file')
  const fault = faultOf(name, words.slice(1))
  if (fault !== undefined) throw new NeedsShell(fault)
  if (words.some(({ status }) => status) && !/^(?:echo|printf|test|\[)$/.test(name ?? ''))
    throw new NeedsShell('the command uses $?')
}

export function isLiteral({ glob, status }: Word): boolean {
  return glob === undefined && status === undefined
}

/** Returns why the runner cannot execute this command itself. */
function faultOf(name: string | undefined, words: readonly Word[]): string | undefined {
  const [first = '', second = ''] = words.map(({ text }) => text)
  const isPlain = words.every(isLiteral)
  const isOne = isPlain && words.length === 1
  if (name === 'cd' && !(isOne && /^[^-]/.test(first))) return 'the command uses cd without a folder'
  if (name === 'pwd' && words.length > 0) return 'the command uses pwd with options'
  if (name === 'exit' && words.length > 0 && !(isOne && /^\d{1,3}$/.test(first)))
    return 'the command calls exit with something other than a number'
  if (name === 'export' && !(isOne && first.includes('=') && listedVariables.has(first.split('=')[0] ?? '')))
    return 'the command uses export, which only a shell can run'
  const isQuestion = isPlain && words.length === 2 && first === '-v' && /^[\w.+-]+$/.test(second)
  if (name === 'command' && (!isQuestion || reservedWords.has(second) || shellBuiltins.has(second)))
    return 'the command uses the builtin "command", which only a shell can run'
  return undefined
}
