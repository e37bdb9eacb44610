import { type CadreEvent, callOf, classOfName, type View } from '@cadre/core'
import { callText } from '../../output/call-text.ts'
import { cleanText } from '../../output/clean-text.ts'
import { diffText } from '../../output/diff/diff-text.ts'
import { MarkdownStream } from '../../output/markdown/markdown-stream.ts'
import type { Style } from '../../output/style.ts'
import { truncateText } from '../../output/text-width.ts'
import { createTurnFormatter } from '../../output/turn-formatter.ts'
import { type ChangedFiles, readChangedFiles } from './changed-files.ts'
import type { CollapsedOutputs } from './collapsed-outputs.ts'

export interface TurnTextOptions {
  readonly view: View
  readonly style: Style
  readonly columns: () => number
  /** The folder in which the entry session changes files. */
  readonly workspace: string
  readonly folded: CollapsedOutputs
}

/** A message with more lines is folded. */
const maxMessageLines = 10

/**
 * The lasting output of a turn: the text of the entry agent as it arrives, and the result of each of its calls, in order.
 * Expects events that are already in the view.
 */
export class TurnText {
  /** The session that the person talks to. */
  entry: string | undefined
  readonly #options: TurnTextOptions
  readonly #calls: ReturnType<typeof createTurnFormatter>
  readonly #files = new Map<string, ChangedFiles>()
  #stream: MarkdownStream | undefined
  #heard = ''
  #last: 'text' | 'call' | undefined

  constructor(options: TurnTextOptions) {
    this.#options = options
    this.#calls = createTurnFormatter(options.view, options.style)
  }

  /** Returns the lines to print for an event. They never change afterwards. */
  event(event: CadreEvent): string[] {
    const { columns, workspace } = this.#options
    if (event.type === 'session.started' && event.parent === undefined) this.entry = event.session
    if (event.session !== this.entry) return this.#apart('call', this.#calls(event, columns()))
    switch (event.type) {
      case 'round.started':
        return this.#breakOff()
      case 'text.added':
        this.#heard += event.text
        return this.#apart('text', this.#streamed().add(event.text))
      case 'reply.received':
        return this.#receive(event.text)
      case 'message.added':
        if (event.from !== 'person') break
        return [...this.#breakOff(), ...this.#apart('text', this.#said(event.text))]
      case 'call.started':
        if (classOfName(event.tool) === 'edit') {
          const input = callOf(this.#options.view, event.session, event.call)?.input ?? ''
          this.#files.set(event.call, readChangedFiles(input, workspace))
        }
        break
      case 'call.settled':
        return this.#apart('call', this.#settled(event))
    }
    return this.#apart('call', this.#calls(event, columns()))
  }

  /** Returns the lines of the reply that are not final yet. */
  tail(): string[] {
    const lines = this.#stream?.tail() ?? []
    return lines.length > 0 && this.#last === 'call' ? ['', ...lines] : lines
  }

  end(): string[] {
    return this.#breakOff()
  }

  /** A message that the person sent during the turn. Attached files make it long. */
  #said(text: string): string[] {
    const { style, columns, folded } = this.#options
    const [first = '', ...rest] = cleanText(text).split('\n')
    const title = style.bold(`> ${first}`)
    if (rest.length <= maxMessageLines) return [title, ...rest.map((line) => style.bold(line))]
    return [title, ...folded.fold(`> ${first}`, rest.join('\n'), columns(), style)]
  }

  #streamed(): MarkdownStream {
    const { style, columns } = this.#options
    this.#stream ??= new MarkdownStream({
      style,
      get columns() {
        return columns()
      },
    })
    return this.#stream
  }

  #receive(text: string): string[] {
    // Pieces may have been dropped. Printed text cannot be removed, so the complete text follows.
    const rest = text.startsWith(this.#heard) ? text.slice(this.#heard.length) : `\n\n${text}`
    const stream = this.#streamed()
    const lines = this.#apart('text', [...stream.add(rest), ...stream.end()])
    this.#stream = undefined
    this.#heard = ''
    return lines
  }

  /** The reply was interrupted: the text so far stays. */
  #breakOff(): string[] {
    if (this.#heard.trim() === '') return []
    const lines = this.#apart('text', this.#stream?.end() ?? [])
    this.#stream = undefined
    this.#heard = ''
    return [...lines, this.#options.style.dim('(interrupted)')]
  }

  #settled(event: Extract<CadreEvent, { type: 'call.settled' }>): string[] {
    const { view, style, columns, folded } = this.#options
    const call = callOf(view, event.session, event.call)
    const callLines = this.#calls(event, columns())
    if (call === undefined) return callLines
    const changes = event.outcome === 'done' ? (this.#files.get(event.call)?.changes() ?? []) : []
    this.#files.delete(event.call)
    if (changes.length > 0)
      return changes.flatMap((change) => {
        const [head = '', ...lines] = diffText(change, { columns: columns() - 2, style })
        return [`${style.green('●')} ${head}`, ...lines.map((line) => `  ${line}`)]
      })
    if (call.name !== 'execute_command' && !/^(?:bash|shell|run_in_terminal|run_command)$/i.test(call.name))
      return callLines
    if (event.outcome !== 'done' && event.outcome !== 'failed') return callLines
    const title = truncateText(callText('$', call.input), Math.max(20, columns() - 4))
    const [first = '', ...rest] = event.content.split('\n')
    const isFine = first === 'Exit code 0.'
    const output = (isFine ? rest : [first, ...rest]).join('\n')
    const mark = isFine ? style.green('●') : style.red('●')
    return [`${mark} ${title}`, ...(output.trim() === '' ? [] : folded.fold(title, output, columns(), style))]
  }

  /** Adds a blank line between text and calls. */
  #apart(kind: 'text' | 'call', lines: string[]): string[] {
    if (lines.length === 0) return lines
    const before = this.#last
    this.#last = kind
    return before !== undefined && before !== kind ? ['', ...lines] : lines
  }
}
