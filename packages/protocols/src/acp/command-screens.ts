/**
 * Shows running commands' output in the editor.
 *
 * 1. Commands run in Cadre's sandbox, within its limits. The editor's terminal only displays their output: it runs a small program that
 *    prints a file, which Cadre writes, until the command has ended.
 * 2. An editor without terminals gets the end of the output as card updates, a few times per second.
 * 3. Whatever the editor does, the command continues, and its result is the same.
 * 4. Files and terminals are released when the command has ended.
 */
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fencedText, type ToolContext } from '@cadre/core'
import type { ToolCallContent } from './acp-types.ts'
import { textContent } from './card-content.ts'
import type { Editor } from './editor.ts'

/** The time between two updates of a card, in milliseconds. */
const interval = 250
const maxShown = 4_000
/** The maximum size. Nobody reads more in a terminal. */
const maxFile = 10_000_000
/** How long a terminal may take to show the output, in milliseconds. */
const terminalLimit = 10_000

/** Copies a growing file to standard output. Ends with the exit code in `FILE.end`, or when the writing process has ended. */
const viewer = `
const fs = require('node:fs'); const [file, pid] = process.argv.slice(1)
const source = fs.openSync(file, 'r'); const buffer = Buffer.alloc(65536); let at = 0
const copy = () => { for (let n; (n = fs.readSync(source, buffer, 0, buffer.length, at)) > 0; at += n) fs.writeSync(1, buffer, 0, n) }
const alive = () => { try { process.kill(Number(pid), 0); return true } catch (error) { return error.code === 'EPERM' } }
const look = () => {
  let end; try { end = fs.readFileSync(file + '.end', 'utf8') } catch {}
  copy()
  if (end !== undefined) process.exit(Number(end) || 0)
  if (!alive()) process.exit(1)
}
look(); setInterval(look, 100)
`

export interface ScreensOptions {
  readonly editor: Editor
  readonly cardOf: (
    session: string,
    call: string,
  ) => { readonly sessionId: string; readonly toolCallId: string }
}

interface Screen {
  add(text: string): void
  /** Ends the display. Returns the content that remains in the card. */
  end(code: number): ToolCallContent[]
}

export class CommandScreens {
  readonly #options: ScreensOptions
  readonly #screens = new Map<string, Screen>()

  constructor(options: ScreensOptions) {
    this.#options = options
  }

  /** For `WatchCommand`. */
  watch({ session, call }: ToolContext): (text: string) => void {
    const { editor, cardOf } = this.#options
    const card = cardOf(session, call)
    this.#screens.get(card.toolCallId)?.end(1)
    const screen = editor.capabilities.terminal === true ? openTerminal(editor, card) : openText(editor, card)
    this.#screens.set(card.toolCallId, screen)
    return (text) => screen.add(plain(text))
  }

  /** The content of a card whose command has ended. */
  end(toolCallId: string, content: string): ToolCallContent[] {
    const screen = this.#screens.get(toolCallId)
    this.#screens.delete(toolCallId)
    return screen?.end(Number(/^Exit code (\d+)\./.exec(content)?.[1] ?? 1)) ?? []
  }

  close(): void {
    for (const screen of this.#screens.values()) screen.end(1)
    this.#screens.clear()
  }
}

interface Card {
  readonly sessionId: string
  readonly toolCallId: string
}

function openText(editor: Editor, { sessionId, toolCallId }: Card): Screen {
  let shown = ''
  let timer: NodeJS.Timeout | undefined
  const send = () => {
    timer = undefined
    const content = [textContent(fencedText(shown))]
    editor.update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId, content })
  }
  return {
    add(text) {
      shown = `${shown}${text}`.slice(-maxShown)
      timer ??= setTimeout(send, interval).unref()
    },
    end() {
      clearTimeout(timer)
      return []
    },
  }
}

function openTerminal(editor: Editor, { sessionId, toolCallId }: Card): Screen {
  // Only this user can read it.
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-terminal-'))
  const file = path.join(folder, 'output')
  writeFileSync(file, '', { mode: 0o600 })
  let written = 0
  let terminalId: string | undefined
  const opened = editor
    .createTerminal(
      {
        sessionId,
        command: process.execPath,
        args: ['-e', viewer, file, String(process.pid)],
        cwd: folder,
        outputByteLimit: maxFile,
      },
      AbortSignal.timeout(terminalLimit),
    )
    .then((terminal) => {
      terminalId = terminal.id
      const content: ToolCallContent[] = [{ type: 'terminal', terminalId }]
      editor.update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId, content })
      return terminal
    })
  opened.catch(() => undefined)
  const release = async () => {
    try {
      const terminal = await opened
      const limit = AbortSignal.timeout(terminalLimit)
      await Promise.race([
        terminal.waitForExit(),
        new Promise((resolve) => limit.addEventListener('abort', resolve, { once: true })),
      ])
      await terminal.release()
    } catch {
      // The editor cannot open a terminal, or has disconnected.
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  return {
    add(text) {
      if (written > maxFile) return
      written += text.length
      const more = written > maxFile ? '\n[Cadre does not show the rest of the output]\n' : ''
      try {
        appendFileSync(file, `${text}${more}`)
      } catch {
        // The file is only for display.
        written = Number.POSITIVE_INFINITY
      }
    },
    end(code) {
      try {
        writeFileSync(`${file}.end`, String(code), { mode: 0o600 })
      } catch {
        // The program that copies the file ends with this process.
      }
      void release()
      return terminalId === undefined ? [] : [{ type: 'terminal', terminalId }]
    },
  }
}

const sequences = new RegExp(
  `${String.fromCharCode(27)}(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^${String.fromCharCode(7)}]*${String.fromCharCode(7)}?|.)`,
  'g',
)

/** A command's output must not control the terminal. */
function plain(text: string): string {
  return text.replace(sequences, '').replace(/[^\P{Cc}\n\t]/gu, '')
}
