/**
 * Owns the terminal of a chat: the keyboard, and the lines at the bottom of the screen. While nobody works, those are the input line and
 * the status line; while agents work, also the reply that is on its way, and the tree.
 *
 * 1. The lines at the bottom are there only while a message is awaited or agents work. In between, everybody may print.
 * 2. Nothing typed is lost: it is in the input line until it is sent, also if a question borrows the keyboard in between. What was typed
 *    before a question is no answer to it.
 * 3. A pasted text is one message, however many lines it has.
 * 4. Whatever ends the process, short of a kill, gives the terminal back as it was.
 */
import { applyToView, type CadreEvent, emptyView, type SessionView } from '@cadre/core'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { type Cursor, createPainter } from '../../output/painter.ts'
import type { Style } from '../../output/style.ts'
import type { Surface } from '../../output/surface.ts'
import { cutText, textWidth } from '../../output/text-width.ts'
import { treeLines } from '../../output/tree-lines.ts'
import type { Completer } from './complete.ts'
import { continuedLine } from './continued-line.ts'
import { Editor } from './editor.ts'
import type { Input } from './input.ts'
import { createKeyReader, type Key, type KeyName } from './key-reader.ts'
import type { MessageHistory } from './message-history.ts'
import { type StatusFacts, statusLine } from './status-line.ts'
import { TurnText, type TurnTextOptions } from './turn-text.ts'

export interface ChatScreenOptions {
  readonly io: Io
  readonly style: Style
  readonly history: MessageHistory
  readonly complete: Completer
  readonly status: () => StatusFacts
  readonly turn: Pick<TurnTextOptions, 'workspace' | 'folded'>
}

/** What can be done while agents work. */
export interface Steering {
  /** Enter: the text is delivered to the agents. */
  send(text: string): void
  /** Esc: the reply is given up. */
  interrupt(): void
}

export interface ChatScreen extends Input {
  /** The surface of the next turn. */
  surface(): Surface
  /** What can be done in the turn that is running. */
  steering: Steering | undefined
  /** Messages that wait to be delivered, shown above the input line. */
  waiting: readonly string[]
  /** What Ctrl-C does while no turn is running and no message is awaited. */
  onCancel: (() => void) | undefined
}

type Mode =
  | { readonly kind: 'between' }
  | {
      readonly kind: 'asking'
      readonly isEdit: boolean
      readonly resolve: (text: string | undefined) => void
    }
  | { readonly kind: 'working' }

const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
/** Milliseconds between two frames, at least: nobody reads faster, and a stream of small pieces must not keep the processor busy. */
const frameTime = 33
const spinTime = 100
/** How long an escape waits for the rest of a sequence. */
const escapeTime = 40
const markPastes = '\x1b[?2004h'
const markNothing = '\x1b[?2004l'

export function createChatScreen(options: ChatScreenOptions): ChatScreen {
  const { io, style, history, complete, status } = options
  const { stdin, stdout, env } = io
  const editor = new Editor(history.messages())
  const reader = createKeyReader()
  const painter = createPainter(stdout.stream, () => paint())
  const marks = env['TERM'] !== 'dumb'
  let mode: Mode = { kind: 'between' }
  let who = ''
  let warned = false
  let menu: { readonly words: readonly string[]; readonly at: number; readonly length: number } | undefined
  let isOpen = false
  let isPaused = false
  let escapeTimer: NodeJS.Timeout | undefined
  let turn: { readonly text: TurnText; readonly view: ReturnType<typeof emptyView>; hint: string } | undefined
  const held: string[] = []
  let due: NodeJS.Timeout | undefined
  let paintedAt = 0
  let spin = 0

  // --- the frame

  function paint(): void {
    if (due !== undefined) clearTimeout(due)
    due = undefined
    if (isPaused || !isOpen || mode.kind === 'between') return
    paintedAt = performance.now()
    const { lines, cursor } = frame()
    if (held.length > 0) painter.print(`${held.splice(0).join('\n')}\n`, lines, cursor)
    else painter.paint(lines, cursor)
  }

  function paintSoon(): void {
    if (due !== undefined) return
    const wait = paintedAt + frameTime - performance.now()
    // Never at once: pieces that arrive together are one frame.
    due = setTimeout(paint, Math.max(0, wait))
  }

  function frame(): { readonly lines: string[]; readonly cursor: Cursor } {
    const { columns, rows } = painter
    const prompt = `${who}> `
    const input = editor.lines(columns, textWidth(prompt))
    const most = Math.max(1, Math.floor(rows / 3))
    const from = Math.max(0, Math.min(input.row - most + 1, input.lines.length - most))
    const typed = input.lines.slice(from, from + most)
    const shown =
      from === 0 ? typed.map((line, index) => (index === 0 ? style.bold(prompt) + line : line)) : typed
    const below = [...menuLines(), ...(rows > 6 ? [statusLine(status(), hint(), columns, style)] : [])]
    const rule = rows > 10 ? [style.dim('─'.repeat(columns))] : []
    const queued = steered.waiting.map((text) =>
      style.dim(cutText(`↳ ${cleanLine(text)} (sent with the next round)`, columns)),
    )
    const fixed = rule.length + shown.length + below.length + Math.min(queued.length, 3)
    const above = [...turnLines(Math.max(1, rows - fixed)), ...queued.slice(-3), ...rule]
    return {
      lines: [...above, ...shown, ...below],
      cursor: { row: above.length + input.row - from, column: input.column },
    }
  }

  function hint(): string {
    if (mode.kind !== 'working') return '/help'
    if (turn !== undefined && turn.hint !== '') return turn.hint
    return editor.isEmpty ? 'Esc: stop' : 'Enter: send · Esc: interrupt'
  }

  function turnLines(most: number): string[] {
    if (turn === undefined || turn.view.sessions.size === 0) return []
    const { view, text } = turn
    const columns = painter.columns
    const tree = treeLines(view, view.roots, {
      columns,
      rows: Math.max(1, Math.floor(most / 2)),
      now: Date.now(),
      style,
      working: spinner[spin % spinner.length] as string,
      about: (session) => (session.id === text.entry ? entryActivity(session) : undefined),
    })
    const tail = text.tail()
    const room = Math.max(0, most - tree.length - 1)
    const shown = tail.length <= room ? tail : tail.slice(-room)
    return [...shown, ...(shown.length > 0 ? [''] : []), ...tree]
  }

  function menuLines(): string[] {
    if (menu === undefined) return []
    const { words, at } = menu
    const from = Math.max(0, Math.min(at - 2, words.length - 5))
    return words
      .slice(from, from + 5)
      .map((word, index) => (from + index === at ? style.cyan(`› ${word}`) : style.dim(`  ${word}`)))
  }

  function print(lines: readonly string[]): void {
    if (lines.length === 0) return
    held.push(...lines)
    if (!isPaused && (mode.kind === 'between' || !isOpen)) {
      stdout.write(`${held.splice(0).join('\n')}\n`)
      return
    }
    paintSoon()
  }

  // --- the keyboard

  const take = (chunk: Buffer | string) => {
    if (escapeTimer !== undefined) clearTimeout(escapeTimer)
    escapeTimer = undefined
    for (const key of reader.read(
      decoder.decode(typeof chunk === 'string' ? Buffer.from(chunk) : chunk, { stream: true }),
    ))
      press(key)
    if (reader.isWaiting)
      escapeTimer = setTimeout(() => {
        for (const key of reader.flush()) press(key)
        paintSoon()
      }, escapeTime)
    paintSoon()
  }
  const decoder = new TextDecoder()
  const gone = () => answer(undefined)
  const leave = () => void (marks && isOpen && stdout.stream.write(markNothing))
  const interrupted = () => {
    if (mode.kind === 'asking') cancel()
  }
  const ended = () => {
    if (mode.kind === 'asking') answer(undefined)
  }

  function open(): void {
    if (isOpen) return
    isOpen = true
    stdin.setRawMode?.(true)
    stdin.on('data', take).on('end', gone).on('error', gone).resume()
    if (marks) stdout.write(markPastes)
  }

  function close(): void {
    if (!isOpen) return
    painter.clear()
    leave()
    isOpen = false
    stdin.off('data', take).off('end', gone).off('error', gone).pause()
    stdin.setRawMode?.(false)
  }

  function press(key: Key): void {
    if (key.kind !== 'key') {
      menu = undefined
      warned = false
      if (key.kind === 'text') editor.insert(key.text)
      else editor.paste(key.text)
      return
    }
    const { name } = key
    if (menu !== undefined && pressInMenu(name)) return
    menu = undefined
    switch (name) {
      case 'enter':
        enter()
        break
      case 'tab':
        openMenu()
        break
      case 'escape':
        pressEscape()
        break
      case 'cancel':
        cancel()
        break
      case 'end-of-input':
        if (editor.isEmpty && mode.kind === 'asking') answer(undefined)
        else editor.press('delete')
        break
      case 'suspend':
        suspend()
        break
      case 'expand':
        print(options.turn.folded.nextLines(painter.columns, style))
        break
      case 'redraw':
        redraw()
        break
      default:
        editor.press(name)
    }
  }

  function enter(): void {
    const { text, goesOn } = continuedLine(editor.before)
    if (goesOn && editor.before === editor.text) {
      editor.set(`${text}\n`)
      return
    }
    if (mode.kind === 'between') {
      // Nobody awaits it yet: it stays in the input line.
      if (!editor.isEmpty) editor.press('newline')
      return
    }
    const said = editor.take()
    if (said.trim() === '') return
    editor.remember(said)
    if (mode.kind === 'working') steered.steering?.send(said)
    else answer(said)
  }

  function answer(text: string | undefined): void {
    if (mode.kind !== 'asking') return
    const { resolve } = mode
    painter.clear()
    mode = { kind: 'between' }
    if (text === undefined)
      stdout.write(
        `${held
          .splice(0)
          .map((line) => `${line}\n`)
          .join('')}`,
      )
    else echo(text)
    process.off('SIGINT', interrupted).off('SIGTERM', ended).off('SIGHUP', ended)
    resolve(text)
  }

  function echo(text: string): void {
    const copy = new Editor()
    copy.set(text.length > 4000 ? `${text.slice(0, 4000)}…` : text)
    const prompt = `${who}> `
    const [first = '', ...rest] = copy.lines(painter.columns, textWidth(prompt)).lines
    stdout.write(`${[...held.splice(0), style.bold(prompt) + first, ...rest].join('\n')}\n`)
  }

  function pressEscape(): void {
    if (mode.kind === 'working') {
      const said = editor.take()
      if (said.trim() !== '') {
        editor.remember(said)
        steered.steering?.send(said)
      }
      steered.steering?.interrupt()
    } else if (mode.kind === 'asking' && mode.isEdit) answer(undefined)
  }

  function cancel(): void {
    if (mode.kind === 'working') process.kill(process.pid, 'SIGINT')
    else if (mode.kind === 'between') steered.onCancel?.()
    else if (mode.isEdit) {
      editor.set('')
      answer(undefined)
    } else if (!editor.isEmpty) editor.set('')
    else if (warned) answer(undefined)
    else {
      warned = true
      print([style.dim('Press Ctrl-C again to exit, or use Ctrl-D or /quit.')])
    }
  }

  function suspend(): void {
    close()
    process.once('SIGCONT', () => {
      open()
      paint()
    })
    process.kill(process.pid, 'SIGTSTP')
  }

  function redraw(): void {
    painter.clear()
    stdout.write('\x1b[H\x1b[2J')
    paint()
  }

  // --- completion

  function openMenu(): void {
    const { words, length } = complete(editor.before)
    if (words.length === 0) return
    const shared = sharedStart(words)
    const isMore = shared.length > length
    if (words.length === 1) editor.replace(length, words[0] as string)
    else if (isMore) editor.replace(length, shared)
    if (words.length > 1) menu = { words, at: -1, length: isMore ? shared.length : length }
  }

  function pressInMenu(name: KeyName): boolean {
    if (menu === undefined) return false
    const { words, at, length } = menu
    const step = name === 'tab' || name === 'down' ? 1 : name === 'shift-tab' || name === 'up' ? -1 : 0
    if (step !== 0) {
      menu = { words, length, at: (Math.max(at, step < 0 ? 0 : -1) + step + words.length) % words.length }
      return true
    }
    if (name === 'escape') {
      menu = undefined
      return true
    }
    if (name !== 'enter' || at < 0) return false
    editor.replace(length, words[at] as string)
    menu = undefined
    return true
  }

  // --- the turn

  function surface(): Surface {
    const view = emptyView()
    const columns = () => painter.columns
    turn = { view, text: new TurnText({ ...options.turn, view, style, columns }), hint: '' }
    const mine = turn
    mode = { kind: 'working' }
    open()
    const timer = setInterval(() => {
      spin += 1
      paintSoon()
    }, spinTime).unref()
    return {
      event(event: CadreEvent) {
        applyToView(view, event)
        print(mine.text.event(event))
        paintSoon()
      },
      say(line, newHint) {
        if (newHint !== undefined) mine.hint = newHint
        print([line])
      },
      pause() {
        painter.clear()
        // What happened before the question is read before it.
        if (held.length > 0) stdout.write(`${held.splice(0).join('\n')}\n`)
        isPaused = true
      },
      resume() {
        isPaused = false
        paint()
      },
      end() {
        clearInterval(timer)
        if (due !== undefined) clearTimeout(due)
        due = undefined
        isPaused = false
        held.push(...mine.text.end())
        // Who did what stays in sight, if there was more than one.
        if (view.sessions.size > 1)
          held.push(
            '',
            ...treeLines(view, view.roots, { columns: painter.columns, rows: 40, now: Date.now(), style }),
          )
        painter.clear()
        mode = { kind: 'between' }
        turn = undefined
        menu = undefined
        if (held.length > 0) stdout.write(`${held.splice(0).join('\n')}\n`)
      },
    }
  }

  function ask(name: string, text: string, isEdit: boolean): Promise<string | undefined> {
    who = name
    warned = false
    if (text !== '') editor.set(`${text}${editor.text}`)
    return new Promise((resolve) => {
      mode = { kind: 'asking', isEdit, resolve }
      process.on('SIGINT', interrupted).on('SIGTERM', ended).on('SIGHUP', ended)
      open()
      paint()
    })
  }

  process.on('exit', leave)
  const steered: ChatScreen = {
    steering: undefined,
    waiting: [],
    onCancel: undefined,
    surface,
    next: (name) => ask(name, '', false),
    edit: (name, text) => ask(name, text, true),
    sent: (text) => history.add(text),
    async lend() {
      // What the terminal has sent by now is read before the second of these.
      for (let round = 0; round < 2; round++) await new Promise((resolve) => setImmediate(resolve))
      close()
    },
    reclaim: open,
    close() {
      close()
      painter.end()
      process.off('exit', leave)
    },
  }
  return steered
}

/** What the agent says is on the screen already: it is not repeated beside its name. */
function entryActivity({ state, rounds }: SessionView): string | undefined {
  const round = rounds.at(-1)
  if (state !== 'working' || round === undefined || round.toolCalls.length > 0) return undefined
  return `round ${round.roundId} · ${round.reply === '' ? 'thinking' : 'replying'}`
}

function sharedStart(words: readonly string[]): string {
  const [first = ''] = words
  let length = first.length
  for (const word of words) while (!word.startsWith(first.slice(0, length))) length -= 1
  return first.slice(0, length)
}
