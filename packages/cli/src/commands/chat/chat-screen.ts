/**
 * Owns the terminal of a chat: the keyboard, and the lines at the bottom of the screen. At the prompt, these are the input
 * line and the status line; while agents work, also the partial reply and the tree.
 *
 * 1. The bottom lines exist only while a message is awaited or agents work. In between, any code may print.
 * 2. No input is lost: it stays in the input line until it is sent, even if a question uses the keyboard in between. Text
 *    typed before a question does not answer it.
 * 3. A pasted text is one message, with any number of lines.
 * 4. The terminal is restored however the process ends, except by SIGKILL.
 */
import type { Io } from '../../io.ts'
import type { Style } from '../../output/style.ts'
import type { Surface } from '../../output/surface.ts'
import { createBottomLines } from './bottom-lines.ts'
import { chatFrame, echoLines, type WaitingLine } from './chat-frame.ts'
import { CompletionMenu } from './completion-menu.ts'
import { continuedLine } from './continued-line.ts'
import type { Completer } from './create-completer.ts'
import type { EnteredLine, Input } from './input.ts'
import type { Key, KeyName } from './key-reader.ts'
import { createKeyboard } from './keyboard.ts'
import { MessageEditor } from './message-editor.ts'
import type { MessageHistory } from './message-history.ts'
import { type StatusInfo, statusLine } from './status-line.ts'
import { createTurnSurface, type TurnSurface, type TurnSurfaceOptions } from './turn-surface.ts'

export interface ChatScreenOptions {
  readonly io: Io
  readonly style: Style
  readonly history: MessageHistory
  /** Calls `changed` when more suggestions are available. */
  readonly completer: (changed: () => void) => Completer
  readonly status: () => StatusInfo
  readonly turn: TurnSurfaceOptions['turn']
}

/** Actions while agents work. */
export interface TurnActions {
  /** Enter: delivers the text to the agents. */
  send(entered: EnteredLine): void
  /** Esc: interrupts the reply. Without a message just before it, stops the agents if no message is in delivery. */
  interrupt(isAfterMessage: boolean): void
}

export interface ChatScreen extends Input {
  /** The surface of the next turn. */
  surface(): Surface
  /** Actions in the running turn. */
  steering: TurnActions | undefined
  /** Lines typed while agents work that are not delivered yet, shown above the input line. */
  waiting: readonly WaitingLine[]
  /** What Ctrl-C does while no turn is running and no message is awaited. */
  onCancel: (() => void) | undefined
  /** Puts unhandled lines back into the input line. */
  restore(lines: readonly EnteredLine[]): void
}

type Mode =
  | { readonly kind: 'between' }
  | {
      readonly kind: 'asking'
      readonly isEdit: boolean
      readonly resolve: (entered: EnteredLine | undefined) => void
    }
  | { readonly kind: 'working' }

/** Keys that may change the suggestions. */
const suggestionKeys: readonly KeyName[] = ['backspace', 'delete', 'kill-word']

export function createChatScreen(options: ChatScreenOptions): ChatScreen {
  const { io, style, history, status } = options
  const { stdout } = io
  const editor = new MessageEditor(history.messages())
  const bottom = createBottomLines({
    stdout,
    hasFrame: () => keyboard.isOpen && mode.kind !== 'between',
    frame: (columns, rows) =>
      chatFrame({
        columns,
        rows,
        style,
        who,
        editor,
        waiting: screen.waiting,
        menu: menu.lines(columns, style),
        status: statusLine(status(), hint(), columns, style),
        turn: (max) => turn?.lines(columns, max) ?? [],
      }),
  })
  const keyboard = createKeyboard({
    io,
    onKeys(keys) {
      for (const key of keys) press(key)
      bottom.paintSoon()
    },
    onEnd: () => answer(undefined),
  })
  const complete = options.completer(() => {
    menu.refresh()
    bottom.paintSoon()
  })
  const menu = new CompletionMenu(editor, complete)
  let mode: Mode = { kind: 'between' }
  let who = ''
  let warned = false
  let turn: TurnSurface | undefined

  function hint(): string {
    if (mode.kind !== 'working') return '/help'
    if (turn !== undefined && turn.hint !== '') return turn.hint
    return editor.isEmpty ? 'Esc: stop' : 'Enter: send · Esc: interrupt'
  }

  function press(key: Key): void {
    if (key.kind !== 'key') {
      warned = false
      if (key.kind === 'text') {
        editor.insert(key.text)
        menu.update()
      } else {
        editor.paste(key.text)
        menu.close()
      }
      return
    }
    const { name } = key
    if (menu.press(name)) return
    menu.close()
    switch (name) {
      case 'enter':
        enter()
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
        bottom.print(options.turn.folded.nextLines(bottom.columns, style))
        break
      case 'redraw':
        bottom.redraw()
        break
      default:
        editor.press(name)
        if (suggestionKeys.includes(name) && !editor.isEmpty) menu.update()
    }
  }

  function enter(): void {
    const { text, goesOn } = continuedLine(editor.before)
    if (goesOn && editor.before === editor.text) {
      editor.replace(editor.before.length - text.length, '\n')
      return
    }
    if (mode.kind === 'between' || (mode.kind === 'working' && screen.steering === undefined)) {
      // No message is awaited yet, so it stays in the input line.
      if (!editor.isEmpty) editor.press('newline')
      return
    }
    const entered = editor.take()
    if (entered.text.trim() === '') return
    editor.remember(entered)
    if (mode.kind === 'working') screen.steering?.send(entered)
    else answer(entered)
  }

  function answer(entered: EnteredLine | undefined): void {
    if (mode.kind !== 'asking') return
    const { resolve } = mode
    bottom.clear()
    mode = { kind: 'between' }
    menu.close()
    if (entered !== undefined) bottom.print(echoLines(entered.text, who, bottom.columns, style))
    process.off('SIGINT', interrupted).off('SIGTERM', ended).off('SIGHUP', ended)
    resolve(entered)
  }

  function pressEscape(): void {
    if (mode.kind === 'working') {
      const { steering } = screen
      if (steering === undefined) return
      const entered = editor.take()
      const isMessage = entered.text.trim() !== ''
      if (isMessage) {
        editor.remember(entered)
        steering.send(entered)
      }
      steering.interrupt(isMessage)
    } else if (mode.kind === 'asking' && mode.isEdit) cancel()
  }

  function cancel(): void {
    // Not sent as a signal, which could arrive after the turn and affect the input line.
    if (mode.kind === 'working') process.emit('SIGINT', 'SIGINT')
    else if (mode.kind === 'between') screen.onCancel?.()
    else if (mode.isEdit) {
      editor.set('')
      answer(undefined)
    } else if (!editor.isEmpty) editor.set('')
    else if (warned) answer(undefined)
    else {
      warned = true
      bottom.print([style.dim('Press Ctrl-C again to exit, or use Ctrl-D or /quit.')])
    }
  }

  const interrupted = () => {
    if (mode.kind === 'asking') cancel()
  }
  const ended = () => answer(undefined)

  function close(): void {
    if (keyboard.isOpen) bottom.clear()
    keyboard.close()
  }

  function suspend(): void {
    close()
    process.once('SIGCONT', () => {
      keyboard.open()
      bottom.paint()
    })
    process.kill(process.pid, 'SIGTSTP')
  }

  function ask(name: string, text: string, isEdit: boolean): Promise<EnteredLine | undefined> {
    who = name
    warned = false
    if (text !== '') editor.prefill(text)
    return new Promise((resolve) => {
      mode = { kind: 'asking', isEdit, resolve }
      process.on('SIGINT', interrupted).on('SIGTERM', ended).on('SIGHUP', ended)
      keyboard.open()
      bottom.paint()
    })
  }

  function surface(): TurnSurface {
    mode = { kind: 'working' }
    keyboard.open()
    turn = createTurnSurface({
      bottom,
      style,
      turn: options.turn,
      onEnd() {
        mode = { kind: 'between' }
        turn = undefined
        menu.close()
      },
    })
    return turn
  }

  const screen: ChatScreen = {
    steering: undefined,
    waiting: [],
    onCancel: undefined,
    surface,
    next: (name) => ask(name, '', false),
    edit: (name, text) => ask(name, text, true),
    sent: (text) => history.add(text),
    async lend() {
      // Input that the terminal has already sent is read before the second round.
      for (let round = 0; round < 2; round++) await new Promise((resolve) => setImmediate(resolve))
      close()
    },
    reclaim: () => keyboard.open(),
    restore: (lines) => editor.restore(lines),
    close() {
      close()
      keyboard.end()
      bottom.end()
    },
  }
  return screen
}
