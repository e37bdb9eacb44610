/**
 * Owns the keyboard and the last line of the terminal while nobody works: an editor of one line, for one message at a time.
 *
 * 1. Between two messages the terminal is as it was found and standard input is paused: a turn gets Ctrl-C as a signal, and
 *    its questions can read the keyboard themselves.
 * 2. Nothing typed is lost: lines that arrive together wait for their turn, and an unfinished one stands there again.
 * 3. A pasted text is one message, however many lines it has.
 * 4. Whatever ends the process, short of a kill, takes the terminal out of the mode in which it marks pasted texts.
 */
import { createInterface, type Interface } from 'node:readline'
import { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { Io } from '../io.ts'
import type { Style } from '../output/style.ts'
import { continuedLine } from './continued-line.ts'
import { fromEditor, Pasted, toEditor } from './editor-text.ts'
import type { Input } from './input.ts'
import type { MessageHistory } from './message-history.ts'
import { createPasteReader } from './paste-reader.ts'

export interface PromptOptions {
  readonly io: Io
  readonly style: Style
  readonly history: MessageHistory
  /** What a line that begins like this could become. */
  readonly complete: (beginning: string) => readonly string[]
}

type Read =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'interrupted'; readonly hadText: boolean }
  | { readonly kind: 'closed' }

const markPastes = '\x1b[?2004h'
const markNothing = '\x1b[?2004l'

export function createPromptInput({ io, style, history, complete }: PromptOptions): Input {
  const { stdin, stdout } = io
  const pastes = io.env['TERM'] !== 'dumb'
  const decoder = new StringDecoder('utf8')
  const takeApart = createPasteReader()
  const typedAhead: string[] = []
  let draft = ''
  const typed = history.messages().map(toEditor)

  /** One line, which begins with `text`. */
  function read(prompt: string, text: string): Promise<Read> {
    return new Promise((resolve) => {
      const keys = Object.assign(new Readable({ read() {} }), {
        setRawMode: (mode: boolean) => void stdin.setRawMode?.(mode),
      })
      const reader = createInterface({
        input: keys,
        output: stdout.stream,
        terminal: true,
        history: [...typed],
        historySize: 1000,
        removeHistoryDuplicates: true,
        completer: (line: string) => [complete(line), line],
        prompt,
      })
      const pasted = new Pasted()
      let end: Read | undefined
      let isClosed = false
      const finish = (how: Read) => {
        end ??= how
        if (!isClosed) reader.close()
      }
      const take = (chunk: Buffer) => {
        for (const part of takeApart(decoder.write(chunk))) {
          // One by one: what comes together, readline would put behind the line wherever the cursor is.
          const pieces = part.kind === 'keys' ? [...part.text] : [pasted.show(part.text)]
          for (const piece of pieces) {
            if (isClosed) return
            if (part.kind === 'keys') keys.emit('data', piece)
            else reader.write(piece)
          }
        }
      }
      const interrupted = () => finish({ kind: 'interrupted', hadText: reader.line !== '' })
      const gone = () => finish({ kind: 'closed' })
      reader.on('line', (line) => {
        const whole = pasted.putBack(line)
        if (end !== undefined) return void typedAhead.push(whole)
        end = { kind: 'line', text: whole }
        // Lines that came together with this one are read before the keyboard is let go.
        setImmediate(() => finish({ kind: 'closed' }))
      })
      reader.on('SIGINT', interrupted)
      reader.on('SIGTSTP', () => suspend(reader, keys, mark, unmark))
      reader.on('close', () => {
        isClosed = true
        if (end?.kind === 'line') draft = reader.line
        stdin.off('data', take).off('end', gone).off('error', gone).pause()
        process.off('SIGINT', interrupted).off('SIGTERM', gone).off('SIGHUP', gone).off('exit', unmark)
        unmark()
        if (end?.kind !== 'line') stdout.write('\n')
        else if (draft !== '') stdout.write('\r\x1b[K')
        resolve(end ?? { kind: 'closed' })
      })
      stdin.on('data', take).on('end', gone).on('error', gone).resume()
      process.on('SIGINT', interrupted).on('SIGTERM', gone).on('SIGHUP', gone).on('exit', unmark)
      mark()
      reader.prompt()
      if (text !== '') reader.write(text)
    })
  }
  const mark = () => void (pastes && stdout.write(markPastes))
  const unmark = () => void (pastes && stdout.write(markNothing))

  async function nextLine(prompt: string, text: string): Promise<Read> {
    const ahead = text === '' ? typedAhead.shift() : undefined
    if (ahead !== undefined) {
      stdout.write(`${prompt}${toEditor(ahead)}\n`)
      return { kind: 'line', text: ahead }
    }
    const begun = text === '' ? draft : text
    if (text === '') draft = ''
    return read(prompt, begun)
  }

  /** A message of one line or, with a backslash at the end of a line, of several. */
  async function message(prompt: string, text: string): Promise<Read> {
    let said = ''
    for (;;) {
      const line = await nextLine(said === '' ? prompt : '… ', said === '' ? text : '')
      if (line.kind !== 'line') return line
      const { text: part, goesOn } = continuedLine(line.text)
      said += part
      if (goesOn) {
        said += '\n'
        continue
      }
      remember(said)
      return { kind: 'line', text: fromEditor(said) }
    }
  }

  function remember(text: string): void {
    const line = toEditor(text)
    if (line.trim() !== '' && !line.startsWith(' ') && line.length <= 4000 && line !== typed[0])
      typed.unshift(line)
  }

  return {
    async next(who) {
      let warned = false
      for (;;) {
        const read = await message(`${style.bold(who)}> `, '')
        if (read.kind === 'closed') return undefined
        if (read.kind === 'line') {
          if (read.text.trim() !== '') return read.text
          warned = false
          continue
        }
        if (read.hadText) continue
        if (warned) return undefined
        warned = true
        stdout.write(`${style.dim('Ctrl-C once more leaves, and so do Ctrl-D and /quit.')}\n`)
      }
    },
    async edit(who, text) {
      const read = await message(`${style.bold(who)}> `, toEditor(text))
      return read.kind === 'line' && read.text.trim() !== '' ? read.text : undefined
    },
    sent: (text) => history.add(text),
  }
}

interface RawMode {
  setRawMode(mode: boolean): void
}

/** Ctrl-Z: the shell gets the terminal as it was. */
function suspend(reader: Interface, keys: RawMode, mark: () => void, unmark: () => void): void {
  unmark()
  keys.setRawMode(false)
  process.once('SIGCONT', () => {
    keys.setRawMode(true)
    mark()
    reader.prompt(true)
  })
  process.kill(process.pid, 'SIGTSTP')
}
