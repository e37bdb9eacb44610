import { startWire, type WireAnswer, type WireReply, type WireRequest } from '@cadre/testing'
import { onTestFinished } from 'vitest'
import { wireReply } from '../../hosts/support/wire-reply.ts'

export interface ModelServer {
  /** Without `/v1`. */
  readonly url: string
  /** The bodies of all requests that offer tools of Cadre. */
  readonly asked: readonly ModelBody[]
}

export interface ModelBody {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
  readonly tools: readonly string[]
}

/** A model server for agent programs: the n-th request of a conversation gets the n-th reply. */
export async function serveModel(
  replies: readonly (WireReply | WireAnswer)[],
  /** The answer to everything else. */
  otherwise?: WireAnswer,
): Promise<ModelServer> {
  const asked: ModelBody[] = []
  const wire = await startWire(answer)
  onTestFinished(() => wire.close())
  return { url: wire.url.replace(/\/v1$/, ''), asked }

  function answer({ path, body }: WireRequest): WireAnswer {
    const {
      messages = [],
      tools = [],
      stream,
      model = 'fake',
    } = (body ?? {}) as {
      messages?: ModelBody['messages']
      tools?: readonly { readonly name?: string; readonly function?: { readonly name: string } }[]
      stream?: boolean
      model?: string
    }
    const names = tools.map(({ name, function: inner }) => inner?.name ?? name ?? '')
    const usage = { input: 10, output: 10 }
    // Programs also ask for a title, or count tokens.
    if (otherwise !== undefined && replies.length === 0) return otherwise
    if (!names.some((name) => name.includes('cadre')))
      return wireReply({ path, model, stream: stream === true }, { text: 'A title', usage })
    const round = messages.filter(({ role }) => role === 'assistant').length
    asked.push({ messages, tools: names })
    const planned = replies[round] ?? { text: 'Done.' }
    if ('kind' in planned) return planned
    return wireReply({ path, model, stream: stream === true }, { text: '', usage, ...planned })
  }
}
