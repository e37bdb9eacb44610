import { type FoundCommand, type FoundRedirect, foundCommand } from './command-line.ts'
import { words } from './programs/known-programs.ts'

const skipped = new Set(
  'if then else elif while until do ! time { } coproc function fi done esac in'.split(' '),
)
const mostCommands = 500
const deepest = 4

/**
 * The commands that a person would see in a line that only a shell can read. It reads too much rather than too little, knows
 * nothing of variables, and can be deceived: what it finds may refuse a line and never allows one.
 */
export function glimpse(source: string, depth = 0, folders?: readonly string[]): readonly FoundCommand[] {
  if (depth > deepest) return []
  return new Glimpse(source.slice(0, 64 * 1_024), depth, folders).read()
}

class Glimpse {
  readonly #source: string
  readonly #depth: number
  readonly #found: FoundCommand[] = []
  #at = 0
  #words: string[] = []
  #redirects: FoundRedirect[] = []
  #word: string | undefined
  #arrow: 'read' | 'write' | undefined
  #delimiters: string[] = []
  /** Where all of them may run: it grows with every `cd`, unless another line around this one knows. */
  readonly #folders: readonly string[]
  readonly #ownFolders = ['.']

  constructor(source: string, depth: number, folders?: readonly string[]) {
    this.#source = source
    this.#depth = depth
    this.#folders = folders ?? this.#ownFolders
  }

  read(): readonly FoundCommand[] {
    while (this.#at < this.#source.length && this.#found.length < mostCommands) this.#next()
    this.#endCommand()
    return this.#found
  }

  #next(): void {
    const letter = this.#source[this.#at] as string
    const next = this.#source[this.#at + 1] ?? ''
    if (letter === '\\') {
      if (next !== '\n') this.#add(next)
      this.#at += 2
    } else if (letter === "'" || letter === '"') this.#quote(letter)
    else if (letter === '`' || (/[$<>]/.test(letter) && next === '(')) this.#inner(letter)
    else if (letter === ' ' || letter === '\t') {
      this.#endWord()
      this.#at++
    } else if (letter === '#' && this.#word === undefined) this.#at = this.#lineEnd()
    else if (letter === '<' || letter === '>') this.#redirect(letter)
    else if (letter === '\n') {
      this.#endCommand()
      this.#at++
      this.#skipDocuments()
    } else if (/[;&|()]/.test(letter)) {
      if (letter === '&' && next === '>') this.#at++
      else {
        this.#endCommand()
        this.#at++
      }
    } else {
      this.#add(letter)
      this.#at++
    }
  }

  #add(text: string): void {
    this.#word = (this.#word ?? '') + text
  }

  #quote(quote: string): void {
    let at = this.#at + 1
    let text = ''
    for (; at < this.#source.length && this.#source[at] !== quote; at++) {
      if (quote === '"' && this.#source[at] === '\\') at++
      text += this.#source[at] ?? ''
    }
    if (quote === '"')
      for (const inner of innerTexts(text))
        this.#found.push(...glimpse(inner, this.#depth + 1, this.#folders))
    // `$'\x72m'` is a name as well, if somebody spells it out.
    const isEscaped = this.#word?.endsWith('$') === true && quote === "'"
    if (isEscaped) this.#word = this.#word?.slice(0, -1)
    this.#add(isEscaped ? unescaped(text) : text)
    this.#at = at + 1
  }

  /** `$(…)`, `<(…)` and backticks. */
  #inner(letter: string): void {
    const start = letter === '`' ? this.#at + 1 : this.#at + 2
    const end = letter === '`' ? this.#source.indexOf('`', start) : closing(this.#source, start)
    const text = this.#source.slice(start, end < 0 ? undefined : end)
    this.#found.push(...glimpse(text, this.#depth + 1, this.#folders))
    this.#add('$(…)')
    this.#at = end < 0 ? this.#source.length : end + 1
  }

  #redirect(letter: string): void {
    if (/^\d+$/.test(this.#word ?? '')) this.#word = undefined
    this.#endWord()
    const operator =
      /^(?:<<<|<<-?|<>|>>|>\||>&|<&|<|>)/.exec(this.#source.slice(this.#at, this.#at + 3))?.[0] ?? letter
    this.#at += operator.length
    if (operator.startsWith('<<') && operator !== '<<<') {
      const found = /^[ \t]*(?:'([^'\n]*)'|"([^"\n]*)"|\\?([\w-]+))/.exec(
        this.#source.slice(this.#at, this.#at + 200),
      )
      if (found === null) return
      this.#delimiters.push(found[1] ?? found[2] ?? found[3] ?? '')
      this.#at += found[0].length
    } else if (/^[<>]&$/.test(operator) && /[\d-]/.test(this.#source[this.#at] ?? '')) this.#at++
    else if (operator !== '<<<') this.#arrow = operator.includes('>') ? 'write' : 'read'
  }

  /** What is written into a file is no command; what a shell is given is. */
  #skipDocuments(): void {
    for (const delimiter of this.#delimiters) {
      const start = this.#at
      let end = this.#source.length
      while (this.#at < this.#source.length) {
        const lineEnd = this.#lineEnd()
        const line = this.#source.slice(this.#at, lineEnd)
        const lineStart = this.#at
        this.#at = Math.min(lineEnd + 1, this.#source.length)
        if (line.replace(/^\t+/, '') === delimiter) {
          end = lineStart
          break
        }
      }
      const last = this.#found.findLast(({ isHint }) => isHint !== true)
      if (shells.has(last?.program ?? ''))
        this.#found.push(...glimpse(this.#source.slice(start, end), this.#depth + 1, this.#folders))
    }
    this.#delimiters = []
  }

  #lineEnd(): number {
    const end = this.#source.indexOf('\n', this.#at)
    return end < 0 ? this.#source.length : end
  }

  #endWord(): void {
    const word = this.#word
    this.#word = undefined
    if (word === undefined) return
    if (this.#arrow !== undefined) {
      this.#redirects.push({ path: word, kind: this.#arrow })
      this.#arrow = undefined
    } else if (this.#words.length > 0 || !(skipped.has(word) || /^[A-Za-z_]\w*\+?=/.test(word)))
      this.#words.push(word)
  }

  #endCommand(): void {
    this.#endWord()
    const words = this.#words
    const redirects = this.#redirects
    this.#words = []
    this.#redirects = []
    this.#arrow = undefined
    if (words.length === 0 && redirects.length === 0) return
    if (words[0] === 'cd' && words[1] !== undefined && this.#ownFolders.length < 8)
      this.#ownFolders.push(words[1])
    const place = { redirects, variables: {}, folders: this.#folders }
    const command = foundCommand(
      words.map((text) => ({ text })),
      place,
    )
    this.#found.push(command, ...hintsIn(command, this.#depth))
  }
}

function innerTexts(text: string): readonly string[] {
  const found: string[] = []
  for (let at = text.indexOf('$('); at >= 0 && found.length < 20; at = text.indexOf('$(', at + 2)) {
    const end = closing(text, at + 2)
    found.push(text.slice(at + 2, end < 0 ? undefined : end))
  }
  for (const [, inner = ''] of text.matchAll(/`([^`]*)`/g)) found.push(inner)
  return found
}

function closing(text: string, start: number): number {
  let open = 1
  for (let at = start; at < text.length; at++) {
    if (text[at] === '(') open++
    else if (text[at] === ')' && --open === 0) return at
  }
  return -1
}

function unescaped(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3}))/g,
    (_, hex: string | undefined, octal: string | undefined) =>
      String.fromCharCode(Number.parseInt(hex ?? octal ?? '20', hex === undefined ? 8 : 16)),
  )
}

/** Programs that start another one which is named by their words. */
const starters = words(
  'xargs sudo doas su runuser pkexec env nice nohup timeout time stdbuf setsid ionice chroot watch parallel npx bunx pnpx ssh docker podman kubectl script strace ltrace taskset flock unshare nsenter busybox toybox command exec builtin eval caffeinate setpriv firejail entr wsl cmd powershell pwsh find',
)
/** Programs that read a text as commands. */
export const shells = words(
  'sh bash dash ash ksh rbash zsh fish csh tcsh mksh yash eval su ssh xargs watch parallel env npx script cmd powershell pwsh sudo docker podman kubectl find trap',
)

const mostHints = 100
/** Each hint repeats the words behind it, so a long line would cost their number squared. */
const mostHintWords = 200

/** What stands behind such a program may be a command: a rule that refuses or asks for it counts there too. */
export function hintsIn(command: FoundCommand, depth = 0): readonly FoundCommand[] {
  const { program, texts, folders, variables } = command
  const starts = starters.has(program)
  const reads = shells.has(program)
  if (!starts && !reads) return []
  // Where it starts nothing, its words are not commands.
  if (program === 'find' && command.described?.unlisted.length === 0) return []
  const found: FoundCommand[] = []
  for (let at = 1; at < texts.length && found.length < mostHints; at++) {
    const word = texts[at] as string
    if (depth < 3 && reads && /[\s;|&]/.test(word))
      found.push(...glimpse(word, depth + 1, folders).map((one): FoundCommand => ({ ...one, isHint: true })))
    if (!starts || word.startsWith('-') || word === '') continue
    const inner = command.words.slice(at, at + mostHintWords)
    found.push(foundCommand(inner, { redirects: [], variables, folders, isHint: true }))
  }
  return found
}
