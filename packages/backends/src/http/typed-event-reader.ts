import type { JsonObject, Reply, Usage, WireCall } from '@cadre/core'
import { EventReader } from './event-reader.ts'
import type { BodyReader, ParsedReply } from './read-reply.ts'

/** The content of a reply, in order. */
interface ReplyParts {
  readonly content: string
  readonly calls: readonly WireCall[]
  /** What the model thought, in the form in which it must be sent back. */
  readonly items: readonly { readonly at: number; readonly item: JsonObject }[]
  readonly model: string | undefined
  readonly stop: Reply['stop']
}

/** Builds a reply from events with types. A subclass knows the events of its API, and which one ends a reply. */
export abstract class TypedEventReader implements BodyReader {
  readonly #id: string
  protected readonly onText: (delta: string) => void
  protected readonly events: EventReader

  /** `id` is `Model.id`. */
  constructor(id: string, onText: (delta: string) => void, hide: (text: string) => string = (text) => text) {
    this.#id = id
    this.onText = onText
    this.events = new EventReader(
      (event) => this.take(event),
      (value) => this.takeWhole(value),
      hide,
    )
  }

  abstract get usage(): Usage | undefined
  protected abstract get isDone(): boolean
  protected abstract take(event: JsonObject): void
  /** The server does not stream. */
  protected abstract takeWhole(value: JsonObject): void
  protected abstract reply(): Reply | undefined

  push(chunk: string): boolean {
    return this.events.push(chunk) || this.isDone
  }

  finish(): ParsedReply {
    return this.events.finish(() => this.reply())
  }

  protected replyFrom({ content, calls, items, model, stop }: ReplyParts): Reply {
    const { usage } = this
    return {
      kind: 'reply',
      content: content || null,
      calls,
      ...(items.length > 0 && { reasoning: { by: this.#id, items } }),
      ...(usage && { usage }),
      ...(model && { model }),
      ...(stop && { stop }),
    }
  }
}
