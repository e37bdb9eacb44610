import { NeedsShell } from './cursor.ts'
import { listedVariables, reservedWords, shellBuiltins } from './known-words.ts'
import type { Command, Word } from './line.ts'
import type { WrittenWord } from './read-words.ts'

/** The first word of a command is the plain name of a program. */
export function requireProgram({ word, hasBraces }: WrittenWord, count: number): void {
  const { text } = word
  if (!isLiteral(word) || hasBraces || count > 1) throw new NeedsShell('the name of its program is a pattern')
  if (reservedWords.has(text)) throw new NeedsShell(`it uses ${text}`)
  if (shellBuiltins.has(text)) throw new NeedsShell(`it uses ${text}, which only a shell has`)
  if (!/^(?:\[|:|[\w./@+][\w./@+-]*)$/.test(text)) throw new NeedsShell('the name of its program is unusual')
}

/** What the runner does by itself takes few words; and a descriptor is not opened by its name. */
export function checkCommand({ words, variables, redirects }: Command): void {
  const name = words[0]?.text
  if (name === undefined && Object.keys(variables).length > 0)
    throw new NeedsShell('it sets a variable for the rest of the line')
  if (name === undefined && redirects.length === 0) throw new NeedsShell('its syntax is not plain')
  for (const { text } of words)
    if (/\/proc\/|\/dev\/(?:.*\/)?(?:std|fd|tty)/.test(`/${text}`))
      throw new NeedsShell('it names a descriptor or a process as a file')
  const own = ownCommands.get(name ?? '')
  if (own !== undefined) {
    const rest = words.slice(1)
    const isFit = rest.every(isLiteral) && own.fits(rest.map(({ text }) => text))
    if (!isFit) throw new NeedsShell(own.why)
  }
  if (words.some(({ status }) => status) && !/^(?:echo|printf|test|\[)$/.test(name ?? ''))
    throw new NeedsShell('it uses $?')
}

function isLiteral({ glob, status }: Word): boolean {
  return glob === undefined && status === undefined
}

/** With which words the runner does these by itself. */
const ownCommands = new Map<
  string,
  { readonly why: string; readonly fits: (words: readonly string[]) => boolean }
>([
  [
    'cd',
    {
      why: 'it uses cd without the name of a folder',
      fits: ([folder = '', ...rest]) => /^[^-]/.test(folder) && rest.length === 0,
    },
  ],
  ['pwd', { why: 'it uses pwd with options', fits: ({ length }) => length === 0 }],
  [
    'command',
    {
      why: 'it uses command, which only a shell has',
      fits: ([option, name = '', ...rest]) =>
        option === '-v' &&
        rest.length === 0 &&
        /^[\w.+-]+$/.test(name) &&
        !reservedWords.has(name) &&
        !shellBuiltins.has(name),
    },
  ],
  [
    'exit',
    {
      why: 'it uses exit with more than a number',
      fits: ([code, ...rest]) => code === undefined || (rest.length === 0 && /^\d{1,3}$/.test(code)),
    },
  ],
  [
    'export',
    {
      why: 'it uses export, which only a shell has',
      fits: ([setting = '', ...rest]) =>
        rest.length === 0 &&
        setting.includes('=') &&
        listedVariables.has(setting.slice(0, setting.indexOf('='))),
    },
  ],
])
