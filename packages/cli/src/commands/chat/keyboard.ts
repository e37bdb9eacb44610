/**
 * Owns the keyboard of a terminal: one reader has it at a time, and only while it is open.
 *
 * 1. While somebody reads, the terminal echoes nothing by itself and marks pasted texts; a reader gets such a text in one
 *    piece. Otherwise it is as it was found.
 * 2. Nothing typed is lost: what came together with the last key of a reader is given to the next one.
 * 3. Whatever ends the process, short of a kill, takes the terminal out of the mode in which it marks pasted texts.
 */
import { createInterface, type Interface } from 'node:readline'
import { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { Io } from '../../io.ts'
import { Pasted } from './editor-text.ts'
import { createPasteReader } from './paste-reader.ts'

export interface ReaderOptions {
  readonly output: NodeJS.WritableStream
  readonly prompt?: string
  readonly history?: string[]
  readonly complete?: (beginning: string) => readonly string[]
  /** Keys this reader has no use for. */
  readonly ignored?: string
  /** The reader is there and has not been given anything yet. */
  readonly ready?: (reader: Interface) => void
  /** Shows again what Ctrl-Z has taken off the screen. */
  readonly comeBack?: (reader: Interface) => void
  /** There will be no more keys. */
  readonly gone?: () => void
}

export interface Keyboard {
  /** A line editor that reads until it is closed. */
  open(options: ReaderOptions): Interface
  /** The line with every pasted text in its place. */
  putBack(line: string): string
}

const markPastes = '\x1b[?2004h'
const markNothing = '\x1b[?2004l'

export function createKeyboard({ stdin, stdout, env }: Io): Keyboard {
  const pastes = env['TERM'] !== 'dumb'
  const decoder = new StringDecoder('utf8')
  const takeApart = createPasteReader()
  const pasted = new Pasted()
  /** What nobody has read yet. One by one: what comes together, an editor would put behind the line wherever the cursor is. */
  const waiting: { readonly kind: 'key' | 'text'; readonly text: string }[] = []
  const mark = () => void (pastes && stdout.write(markPastes))
  const unmark = () => void (pastes && stdout.write(markNothing))

  function open(options: ReaderOptions): Interface {
    const { output, prompt, history, complete, ignored = '', ready, comeBack, gone = () => {} } = options
    const keys = Object.assign(new Readable({ read() {} }), {
      setRawMode: (mode: boolean) => void stdin.setRawMode?.(mode),
    })
    const reader = createInterface({
      input: keys,
      output,
      terminal: true,
      historySize: 1000,
      removeHistoryDuplicates: true,
      ...(prompt !== undefined && { prompt }),
      ...(history && { history }),
      ...(complete && { completer: (line: string) => [complete(line), line] }),
    })
    let isClosed = false
    const feed = () => {
      while (!isClosed) {
        const next = waiting.shift()
        if (next === undefined) return
        if (next.kind === 'text') reader.write(next.text)
        else if (!ignored.includes(next.text)) keys.emit('data', next.text)
      }
    }
    const take = (chunk: Buffer) => {
      for (const { kind, text } of takeApart(decoder.write(chunk))) {
        if (kind === 'paste') waiting.push({ kind: 'text', text: pasted.show(text) })
        else for (const key of text) waiting.push({ kind: 'key', text: key })
      }
      feed()
    }
    const suspend = () => {
      // The shell gets the terminal as it was.
      unmark()
      keys.setRawMode(false)
      process.once('SIGCONT', () => {
        if (isClosed) return
        keys.setRawMode(true)
        mark()
        comeBack?.(reader)
      })
      process.kill(process.pid, 'SIGTSTP')
    }
    reader.on('SIGTSTP', suspend)
    reader.on('close', () => {
      isClosed = true
      stdin.off('data', take).off('end', gone).off('error', gone).pause()
      process.off('exit', unmark)
      unmark()
    })
    stdin.on('data', take).on('end', gone).on('error', gone).resume()
    process.on('exit', unmark)
    mark()
    ready?.(reader)
    feed()
    return reader
  }

  return { open, putBack: (line) => pasted.putBack(line) }
}
