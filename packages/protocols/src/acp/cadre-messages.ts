import type { Notice } from '@cadre/core'
import type { SessionUpdate } from './acp-types.ts'
import { maxContent } from './card-content.ts'
import type { Editor } from './editor.ts'
import { truncateText } from './limit-json.ts'

/** Shows Cadre's own texts in an editor session. */
export class CadreMessages {
  readonly #editor: Pick<Editor, 'capabilities' | 'update'>
  readonly #sessionId: string
  readonly #noticed = new Set<string>()

  constructor(editor: Pick<Editor, 'capabilities' | 'update'>, sessionId: string) {
    this.#editor = editor
    this.#sessionId = sessionId
  }

  /** Shows a notice once. Important ones reach every editor as text. */
  notice({ code, message }: Notice, chain = ''): void {
    const text = `${chain}${message}`
    if (this.#noticed.has(text)) return
    this.#noticed.add(text)
    const severity = /error|failed|untrusted|corrupt/.test(code) ? 'warning' : 'info'
    if (this.#editor.capabilities.session?.notices) {
      const [title = '', ...rest] = text.split('\n')
      const description = rest.join('\n')
      this.#send({
        sessionUpdate: 'notice',
        severity,
        title: truncateText(title, 500),
        ...(description !== '' && { description: truncateText(description, maxContent) }),
      })
    } else if (code === 'untrusted') this.say(`${text}\n\n`)
    else this.think(text)
  }

  /** A text in the answer. */
  say(text: string): void {
    this.#send({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })
  }

  think(text: string): void {
    this.#send({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: `${text}\n` } })
  }

  #send(update: SessionUpdate): void {
    this.#editor.update(this.#sessionId, update)
  }
}
