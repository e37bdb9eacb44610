/**
 * Owns the messages to the program at the other end: an editor.
 *
 * 1. Updates of all sessions leave in the order in which they were added, one at a time, so that a slow editor is waited for.
 * 2. Texts of one message that wait together become one update: a slow editor gets larger pieces, not a longer queue.
 * 3. A request leaves after all updates that were added before it: a card exists before permission is asked for it.
 * 4. Nothing here throws when the editor is gone: updates are dropped, and requests reject.
 */
import type { AgentContext, CreateTerminalRequest, TerminalHandle } from '@agentclientprotocol/sdk/unstable'
import type { ClientCapabilities, RequestPermissionRequest, SessionUpdate } from './acp-types.ts'

interface Waiting {
  readonly sessionId: string
  update: SessionUpdate
}

export class Editor {
  /** What the editor can do. Set by `initialize`. */
  capabilities: ClientCapabilities = {}
  /** The name of the program, for records of decisions. */
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

  /** Resolves when every update so far has left. Never rejects. */
  async drained(): Promise<void> {
    while (this.#pump !== undefined) await this.#pump
  }

  async requestPermission(params: RequestPermissionRequest, signal: AbortSignal) {
    await this.drained()
    return this.#open().request('session/request_permission', params, cancelledBy(signal))
  }

  async readTextFile(sessionId: string, path: string, signal: AbortSignal): Promise<string> {
    const { content } = await this.#open().request(
      'fs/read_text_file',
      { sessionId, path },
      cancelledBy(signal),
    )
    if (typeof content !== 'string') throw new Error('the editor answered without a text')
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
        // The connection has ended. Its owner is told in another way.
      }
    }
    this.#pump = undefined
  }
}

/** The editor is told that the request is withdrawn, and its answer is no longer waited for. */
function cancelledBy(signal: AbortSignal) {
  return { cancellationSignal: signal, stopWaitingOnCancel: true }
}

function joinTexts(a: SessionUpdate, b: SessionUpdate): SessionUpdate | undefined {
  if (a.sessionUpdate !== 'agent_message_chunk' || b.sessionUpdate !== 'agent_message_chunk') return undefined
  if (a.messageId !== b.messageId || a.content.type !== 'text' || b.content.type !== 'text') return undefined
  return { ...a, content: { type: 'text', text: a.content.text + b.content.text } }
}
