/**
 * Owns the messages to the editor.
 *
 * 1. Updates for all sessions are sent one at a time, in the order in which they were added, so that Cadre waits for a slow editor.
 * 2. Queued texts of the same message are combined into one update: a slow editor gets larger pieces, not a longer queue.
 * 3. A request is sent after all earlier updates, so that a card exists before Cadre asks for its permission.
 * 4. No method throws after the editor has disconnected: updates are dropped, and requests reject.
 */
import type {
  AgentContext,
  CreateElicitationRequest,
  CreateElicitationResponse,
  CreateTerminalRequest,
  TerminalHandle,
} from '@agentclientprotocol/sdk/unstable'
import type { ClientCapabilities, RequestPermissionRequest, SessionUpdate } from './acp-types.ts'

interface Waiting {
  readonly sessionId: string
  update: SessionUpdate
}

export class Editor {
  /** The editor's capabilities. Set by `initialize`. */
  capabilities: ClientCapabilities = {}
  /** The program's name, which is recorded with decisions. */
  name = 'an editor'
  #client: AgentContext | undefined
  readonly #waiting: Waiting[] = []
  #pump: Promise<void> | undefined

  attach(client: AgentContext): void {
    this.#client = client
  }

  update(sessionId: string, update: SessionUpdate): void {
    const last = this.#waiting.at(-1)
    const joined = last?.sessionId === sessionId ? joinTexts(last.update, update) : undefined
    if (last !== undefined && joined !== undefined) last.update = joined
    else this.#waiting.push({ sessionId, update })
    this.#pump ??= this.#send()
  }

  /** Resolves when all updates so far have been sent. Never rejects. */
  async drained(): Promise<void> {
    while (this.#pump !== undefined) await this.#pump
  }

  async requestPermission(params: RequestPermissionRequest, signal: AbortSignal) {
    await this.drained()
    return this.#open().request('session/request_permission', params, cancelledBy(signal))
  }

  async elicit(params: CreateElicitationRequest, signal: AbortSignal): Promise<CreateElicitationResponse> {
    await this.drained()
    return this.#open().request('elicitation/create', params, cancelledBy(signal))
  }

  async readTextFile(sessionId: string, path: string, signal: AbortSignal): Promise<string> {
    const { content } = await this.#open().request(
      'fs/read_text_file',
      { sessionId, path },
      cancelledBy(signal),
    )
    if (typeof content !== 'string') throw new Error("the editor's response contains no text")
    return content
  }

  async writeTextFile(
    sessionId: string,
    { path, content }: { readonly path: string; readonly content: string },
    signal: AbortSignal,
  ): Promise<void> {
    await this.#open().request('fs/write_text_file', { sessionId, path, content }, cancelledBy(signal))
  }

  async createTerminal(params: CreateTerminalRequest, signal: AbortSignal): Promise<TerminalHandle> {
    await this.drained()
    return this.#open().createTerminal(params, cancelledBy(signal))
  }

  #open(): AgentContext {
    if (this.#client === undefined) throw new Error('the editor is not connected')
    return this.#client
  }

  async #send(): Promise<void> {
    // Added in the same turn of the event loop: sent together.
    await Promise.resolve()
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      try {
        await this.#client?.notify('session/update', { sessionId: next.sessionId, update: next.update })
      } catch {
        // The connection has ended. Its owner is notified separately.
      }
    }
    this.#pump = undefined
  }
}

/** Withdraws the request, and stops waiting for the answer. */
function cancelledBy(signal: AbortSignal) {
  return { cancellationSignal: signal, stopWaitingOnCancel: true }
}

function joinTexts(a: SessionUpdate, b: SessionUpdate): SessionUpdate | undefined {
  if (a.sessionUpdate !== 'agent_message_chunk' || b.sessionUpdate !== 'agent_message_chunk') return undefined
  if (a.messageId !== b.messageId || a.content.type !== 'text' || b.content.type !== 'text') return undefined
  return { ...a, content: { type: 'text', text: a.content.text + b.content.text } }
}
