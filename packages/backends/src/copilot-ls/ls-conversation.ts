import type { Message, ModelRequest, ToolOffer } from '@cadre/core'
import type { LsTurn } from './ls-turn.ts'
import type { ToolServer } from './tool-server.ts'
import { type Content, contentOf, withMessages } from './transcript.ts'
import type { ToolInvocation } from './wire-types.ts'

/** How the conversation continues. */
export type LsContinuation =
  | { readonly kind: 'result'; readonly call: ToolInvocation; readonly text: string }
  | { readonly kind: 'turn'; readonly message: Content }

type SentRequest = Exclude<Message, { readonly role: 'assistant' }>

/**
 * The messages of a session that a server's conversation has. The server's state is a cache: without it, a new conversation
 * starts.
 */
export class LsConversation {
  readonly server: ToolServer
  turn: LsTurn
  readonly #system: string
  readonly #tools: readonly ToolOffer[]
  readonly #model: string
  #seen: readonly Message[]
  /** The call of the last reply, whose result the server is waiting for. */
  #call: ToolInvocation | undefined
  #replied: string | null | undefined

  constructor(server: ToolServer, turn: LsTurn, model: string, { system, tools, messages }: ModelRequest) {
    this.server = server
    this.turn = turn
    this.#model = model
    this.#system = system
    this.#tools = tools
    this.#seen = messages
  }

  get id(): string | undefined {
    return this.turn.conversationId
  }

  /** Remembers the reply to these messages. */
  replied(messages: readonly Message[], content: string | null, call: ToolInvocation | undefined): void {
    this.#seen = messages
    this.#replied = content
    this.#call = call
  }

  /** Returns how these messages continue the conversation; `undefined` if they do not, and a new one must start. */
  continuation(model: string, request: ModelRequest, canSee: boolean): LsContinuation | undefined {
    const { messages, system, tools } = request
    if (!this.server.process.isRunning || this.turn.isAbandoned || this.#replied === undefined)
      return undefined
    if (model !== this.#model || system !== this.#system || tools !== this.#tools) return undefined
    if (!this.#seen.every((message, index) => message === messages[index])) return undefined
    const [reply, ...rest] = messages.slice(this.#seen.length)
    if (reply?.role !== 'assistant' || reply.content !== this.#replied) return undefined
    if (rest.some(({ role }) => role === 'assistant')) return undefined
    return this.#call === undefined
      ? afterTurn(reply, rest as SentRequest[], canSee)
      : this.#withResult(this.#call, reply, rest as SentRequest[])
  }

  #withResult(
    call: ToolInvocation,
    reply: Extract<Message, { role: 'assistant' }>,
    rest: readonly SentRequest[],
  ): LsContinuation | undefined {
    const id = reply.tool_calls?.[0]?.id
    if (this.turn.isOver || reply.tool_calls?.length !== 1) return undefined
    const [result, ...said] = [...rest].sort((a, b) => order(a) - order(b))
    if (result?.role !== 'tool_result' || result.tool_call_id !== id) return undefined
    // The server accepts only text as a result. With images, a new conversation is needed.
    if (rest.some(({ images }) => images?.length) || said.some(({ role }) => role !== 'user'))
      return undefined
    return { kind: 'result', call, text: withMessages(result.content, said) }
  }
}

function afterTurn(
  reply: Message,
  rest: readonly SentRequest[],
  canSee: boolean,
): LsContinuation | undefined {
  if (reply.role !== 'assistant' || reply.tool_calls?.length) return undefined
  if (rest.length === 0 || rest.some(({ role }) => role !== 'user')) return undefined
  return { kind: 'turn', message: contentOf(rest, new Map(), canSee) }
}

function order({ role }: Message): number {
  return role === 'tool_result' ? 0 : 1
}
