import { type FoundCommand, type FoundRedirect, foundCommand } from './command-line.ts'
import { Cursor } from './line/cursor.ts'
import { inputFrom, type PipedInput } from './piped-input.ts'
import { splitWords } from './programs/known-programs.ts'

const skipped = new Set('if then else elif while until do ! time -p { } coproc fi done esac in'.split(' '))
const plainLetters = /[^\\'"`$<> \t#\n;&|()]+/y
const variable = /\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\})/y
const variables = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/g
const maxCommands = 500
const maxDepth = 4
const maxLength = 64 * 1_024
/** Their commands may run again, after a later `cd`. So do those of a function. */
const repeaters = splitWords('for while until select function trap')

/** Where a text is in a line. */
export interface Nesting {
  readonly depth: number
  /** How many letters the values of variables may still add to the line. */
  readonly room: { letters: number }
}

export function outermost(): Nesting {
  return { depth: 0, room: { letters: maxLength } }
}

function deeper({ depth, room }: Nesting): Nesting {
  return { depth: depth + 1, room }
}

/**
 * Finds the commands that a person would see in a line that only a shell can parse. It finds too many rather than too few,
 * resolves only simple variables, and can be deceived: its findings may refuse a line, but never allow one.
 */
export function findVisibleCommands(
  source: string,
  nesting: Nesting,
  folders: readonly string[] = ['.'],
  values: ReadonlyMap<string, string> = new Map(),
): readonly FoundCommand[] {
  if (nesting.depth > maxDepth) return []
  return new VisibleCommandReader(source.slice(0, maxLength), nesting, folders, values).read()
}

class VisibleCommandReader {
  readonly #at: Cursor
  readonly #nesting: Nesting
  readonly #found: FoundCommand[] = []
  #words: string[] = []
  #redirects: FoundRedirect[] = []
  #word: string | undefined
  #arrow: 'read' | 'write' | undefined
  #delimiters: string[] = []
  #input: PipedInput | undefined
  /** Variables that the line sets. */
  readonly #values: Map<string, string>
  /** All folders in which the next command may run. */
  #folders: readonly string[]
  /** Once commands may repeat, all of them share this array. */
  #sharedFolders: string[] | undefined

  constructor(
    source: string,
    nesting: Nesting,
    folders: readonly string[],
    values: ReadonlyMap<string, string>,
  ) {
    this.#at = new Cursor(source)
    this.#nesting = nesting
    this.#values = new Map(values)
    this.#folders = folders
  }

  read(): readonly FoundCommand[] {
    while (!this.#at.isDone && this.#found.length < maxCommands) this.#next()
    this.#endCommand()
    return this.#found
  }

  #next(): void {
    const at = this.#at
    const plain = at.take(plainLetters)?.[0]
    if (plain !== undefined) return void this.#add(plain)
    const name = at.take(variable)?.[0]
    if (name !== undefined) return void this.#addWords(this.#resolve(name))
    const letter = at.letter()
    const next = at.letter(1)
    if (letter === "'" || letter === '"') return void this.#quote()
    if (letter === '`' || (next === '(' && '$<>'.includes(letter))) return void this.#inner()
    if (letter === '<' || letter === '>') return void this.#redirect()
    if (letter === '#' && this.#word === undefined) return void at.take(/[^\n]*/y)
    at.position++
    if (letter === '\\') {
      at.position++
      if (next !== '\n') this.#add(next)
    } else if (letter === ' ' || letter === '\t') this.#endWord()
    else if (letter === '$' || letter === '#') this.#add(letter)
    else if (letter !== '&' || next !== '>') this.#endCommand()
    if (letter === '(' && next === ')') this.#shareFolders()
    if (letter === '|') {
      const last = this.#found.findLast(({ isHint }) => isHint !== true)
      if (next === '|') at.position++
      else this.#input = last && inputFrom(last)
    }
    if (letter === '\n') this.#skipDocuments()
  }

  #add(text: string): void {
    this.#word = (this.#word ?? '') + text
  }

  /** Without quotes, a value can be several words, or none. */
  #addWords(text: string): void {
    for (const [at, word] of text.split(/\s+/).entries()) {
      if (at > 0) this.#endWord()
      if (word !== '') this.#add(word)
    }
  }

  #resolve(text: string): string {
    const { room } = this.#nesting
    return text.replace(variables, (written, name?: string, braced?: string) => {
      const value = this.#values.get(name ?? braced ?? '')
      if (value === undefined || value.length > room.letters) return written
      room.letters -= value.length
      return value
    })
  }

  /** Finds the commands of a nested text. */
  #look(text: string): void {
    const found = findVisibleCommands(text, deeper(this.#nesting), this.#folders, this.#values)
    this.#found.push(...found)
  }

  #quote(): void {
    const [, single, double = ''] = this.#at.take(/'([^']*)'?|"((?:\\.?|[^"\\]+)*)"?/sy) ?? []
    if (single === undefined) {
      const text = double.replace(/\\(.?)/gs, '$1')
      for (const inner of innerTexts(text)) this.#look(inner)
      return void this.#add(this.#resolve(text))
    }
    // `$'\x72m'` also spells a name.
    const isEscaped = this.#word?.endsWith('$') === true
    if (isEscaped) this.#word = this.#word?.slice(0, -1)
    this.#add(isEscaped ? unescaped(single) : single)
  }

  /** `$(…)`, `<(…)` and backticks. */
  #inner(): void {
    const { source, position } = this.#at
    const isTick = source[position] === '`'
    const start = position + (isTick ? 1 : 2)
    const end = isTick ? source.indexOf('`', start) : closing(source, start)
    this.#look(source.slice(start, end < 0 ? undefined : end))
    this.#add('$(…)')
    this.#at.position = end < 0 ? source.length : end + 1
  }

  #redirect(): void {
    const at = this.#at
    const arrow = at.take(/<<<|<<-?|<>|>>|>\||>&|<&|<|>/y)?.[0] ?? ''
    if (/^\d+$/.test(this.#word ?? '')) this.#word = undefined
    this.#endWord()
    if (arrow === '<<' || arrow === '<<-') {
      const found = at.take(/[ \t]*(?:'([^'\n]*)'|"([^"\n]*)"|\\?([\w-]+))/y)
      if (found !== null) this.#delimiters.push(found[1] ?? found[2] ?? found[3] ?? '')
    } else if (arrow !== '<<<' && !(arrow.endsWith('&') && at.take(/[\d-]/y)))
      this.#arrow = arrow.includes('>') ? 'write' : 'read'
  }

  /** The content of a here-document for a file is not a command; input of a shell is. */
  #skipDocuments(): void {
    for (const delimiter of this.#delimiters) {
      let text = ''
      while (!this.#at.isDone) {
        const line = this.#at.take(/[^\n]*\n?/y)?.[0] ?? ''
        if (line.replace(/^\t+|\n$/g, '') === delimiter) break
        text += line
      }
      const last = this.#found.findLast(({ isHint }) => isHint !== true)
      if (shellNames.has(last?.program ?? '')) this.#look(text)
    }
    this.#delimiters = []
  }

  #endWord(): void {
    const word = this.#word
    this.#word = undefined
    if (word === undefined) return
    if (this.#arrow !== undefined) {
      this.#redirects.push({ path: word, kind: this.#arrow })
      this.#arrow = undefined
      return
    }
    if (this.#words.length === 0 && repeaters.has(word)) this.#shareFolders()
    if (this.#words.length > 0) this.#words.push(word)
    else if (!skipped.has(word) && !this.#assign(word)) this.#words.push(word)
  }

  /** The output of a command stays `$(…)`, and `$HOME` keeps its meaning. */
  #assign(word: string): boolean {
    const [, name = '', plus, value = ''] = /^([A-Za-z_]\w*)(\+?)=(.*)$/s.exec(word) ?? []
    const before = plus === '+' ? (this.#values.get(name) ?? '') : ''
    if (name !== '' && name !== 'HOME') this.#values.set(name, before + value)
    return name !== ''
  }

  #endCommand(): void {
    this.#endWord()
    const [splitWords, redirects] = [this.#words, this.#redirects]
    this.#words = []
    this.#redirects = []
    this.#arrow = undefined
    if (splitWords.length === 0 && redirects.length === 0) return
    const place = {
      redirects,
      variables: {},
      folders: this.#folders,
      ...(this.#input && { input: this.#input }),
    }
    this.#input = undefined
    const written = splitWords.map((text) => ({ text }))
    const command = foundCommand(written, place)
    this.#found.push(command, ...commandHintsIn(command, this.#nesting))
    if (/^(?:cd|pushd)$/.test(command.program) && this.#folders.length < 8) this.#enter(command.texts)
  }

  #shareFolders(): void {
    this.#sharedFolders ??= [...this.#folders]
    this.#folders = this.#sharedFolders
  }

  #enter([, ...words]: readonly string[]): void {
    const folder = words.find((word) => !/^-./.test(word)) ?? '~'
    if (this.#sharedFolders === undefined) this.#folders = [...this.#folders, folder]
    else this.#sharedFolders.push(folder)
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
  return text.replace(/\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3}))/g, (_, hex?: string, octal?: string) =>
    String.fromCharCode(Number.parseInt(hex ?? octal ?? '', hex === undefined ? 8 : 16)),
  )
}

/** Programs that start another program named in their arguments. */
const starters = splitWords(
  'xargs sudo doas su runuser pkexec env nice nohup timeout time stdbuf setsid ionice chroot watch parallel npx bunx pnpx ssh docker podman kubectl script strace ltrace taskset flock unshare nsenter busybox toybox command exec builtin eval caffeinate setpriv firejail entr wsl cmd powershell pwsh find function chrt systemd-run numactl prlimit setarch choom unbuffer tmux screen fakeroot gosu su-exec run0 sg tini dumb-init bwrap proot dotenv direnv cross-env faketime eatmydata rlwrap perf valgrind dbus-run-session xvfb-run ssh-agent sshpass torsocks proxychains proxychains4 docker-compose nerdctl',
)
/** Programs that interpret a text as commands. */
export const shellNames = splitWords(
  'sh bash dash ash ksh rbash zsh fish csh tcsh mksh yash eval su ssh xargs watch parallel env npx script cmd powershell pwsh sudo docker podman kubectl find trap runuser flock sg tmux screen at batch entr concurrently systemd-run',
)

const maxHints = 100
/** Each hint repeats the words after it, so a long line would take quadratic space. */
const maxHintWords = 200

/** Like `findVisibleCommands`, for a text that may contain commands: they can restrict the line, but allow nothing. */
export function findCommandHints(
  text: string,
  nesting: Nesting,
  folders?: readonly string[],
): readonly FoundCommand[] {
  return findVisibleCommands(text, deeper(nesting), folders).map((command) => ({ ...command, isHint: true }))
}

/** `-c` and `--command` in `su --command='a b'`, and `-S` in `env -S'a b'`. */
const attached = /^(?:--(?:comm|sess|sp)[a-z-]*=|-(?!exec)[A-Za-z]{0,3}?[cS](?=\S))/
const beforeCommand = /^(?:-(?!exec)\w*c|--command)$/

/** The arguments of such a program may be a command, so rules that deny or ask apply to them too. */
export function commandHintsIn(command: FoundCommand, nesting: Nesting): readonly FoundCommand[] {
  const { program, texts, folders, variables } = command
  const starts = starters.has(program)
  const reads = shellNames.has(program)
  if (!starts && !reads) return []
  // If it starts nothing, its arguments are not commands.
  if (program === 'find' && command.described?.unlisted.length === 0) return []
  const found: FoundCommand[] = []
  for (let at = 1; at < texts.length && found.length < maxHints; at++) {
    const word = texts[at] as string
    const isCommand = /[\s;|&]/.test(word) || attached.test(word) || beforeCommand.test(texts[at - 1] ?? '')
    const text = word.replace(attached, '').replace(/^--[\w-]+=/, '')
    if (nesting.depth < 3 && reads && isCommand) found.push(...findCommandHints(text, nesting, folders))
    if (!starts || word.startsWith('-') || word === '') continue
    const inner = command.words.slice(at, at + maxHintWords)
    found.push(foundCommand(inner, { redirects: [], variables, folders, isHint: true }))
  }
  return found
}
