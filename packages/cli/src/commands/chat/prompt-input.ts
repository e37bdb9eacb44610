/**
 * Owns the last line of the terminal while nobody works: an editor of one line, for one message at a time.
 *
 * 1. Until the next prompt the keyboard stays here: what is typed meanwhile is not shown, and is in the input line then.
 *    A question in between borrows the keyboard; what was typed before is no answer to it.
 * 2. Nothing typed is lost, and nothing is sent that the person did not see in the input line.
 * 3. A pasted text is one message, however many lines it has.
 */
import type { Io } from '../../io.ts'
import type { Style } from '../../output/style.ts'
import { continuedLine } from './continued-line.ts'
import { fromEditor, toEditor } from './editor-text.ts'
import type { Input } from './input.ts'
import { createKeyboard } from './keyboard.ts'
import type { MessageHistory } from './message-history.ts'
import { createTypeAhead } from './type-ahead.ts'

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

export function createPromptInput({ io, style, history, complete }: PromptOptions): Input {
  const { stdout } = io
  const keyboard = createKeyboard(io)
  const ahead = createTypeAhead(keyboard)
  const typed = history.messages().map(toEditor)

  /** One line, which begins with `text`. */
  function read(prompt: string, text: string): Promise<Read> {
    return new Promise((resolve) => {
      let end: Read = { kind: 'closed' }
      const gone = () => reader.close()
      const interrupted = () => {
        end = { kind: 'interrupted', hadText: reader.line !== '' }
        reader.close()
      }
      process.on('SIGINT', interrupted).on('SIGTERM', gone).on('SIGHUP', gone)
      const reader = keyboard.open({
        output: stdout.stream,
        prompt,
        history: [...typed],
        complete,
        gone,
        comeBack: (opened) => opened.prompt(true),
        ready(opened) {
          opened.on('line', (line) => {
            end = { kind: 'line', text: keyboard.putBack(line) }
            opened.close()
          })
          opened.on('SIGINT', () => {
            end = { kind: 'interrupted', hadText: opened.line !== '' }
            opened.close()
          })
          opened.on('close', () => {
            process.off('SIGINT', interrupted).off('SIGTERM', gone).off('SIGHUP', gone)
            if (end.kind !== 'line') stdout.write('\n')
            resolve(end)
          })
          opened.prompt()
          if (text !== '') opened.write(text)
        },
      })
    })
  }

  /** A message of one line or, with a backslash at the end of a line, of several. */
  async function message(prompt: string, text: string): Promise<Read> {
    let said = ''
    for (;;) {
      const line = await read(said === '' ? prompt : '… ', said === '' ? text : '')
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

  async function next(who: string): Promise<string | undefined> {
    let warned = false
    let draft = toEditor(ahead.end())
    for (;;) {
      const read = await message(`${style.bold(who)}> `, draft)
      draft = ''
      if (read.kind === 'closed') return undefined
      if (read.kind === 'line') {
        if (read.text.trim() !== '') return read.text
        warned = false
        continue
      }
      if (read.hadText) continue
      if (warned) return undefined
      warned = true
      stdout.write(`${style.dim('Press Ctrl-C again to exit, or use Ctrl-D or /quit.')}\n`)
    }
  }

  return {
    async next(who) {
      const said = await next(who)
      if (said !== undefined) ahead.take()
      return said
    },
    async edit(who, text) {
      // What was typed before the text was there belongs behind it.
      const typed = toEditor(ahead.end())
      const read = await message(`${style.bold(who)}> `, `${toEditor(text)}${typed}`)
      ahead.take()
      return read.kind === 'line' && read.text.trim() !== '' ? read.text : undefined
    },
    sent: (text) => history.add(text),
    lend: () => ahead.letGo(),
    reclaim: () => ahead.take(),
    close: () => void ahead.end(),
  }
}
