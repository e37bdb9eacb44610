import { startWire, type WireReply } from '@cadre/testing'
import { onTestFinished } from 'vitest'
import { wireReply } from '../../hosts/support/wire-reply.ts'

/** The model of a host. It sees the texts of all tool results so far, and returns the next call or the last text. */
export type HostScript = (results: readonly string[]) => WireReply | Promise<WireReply>

interface Message {
  readonly role: string
  readonly content: unknown
}

/** A model server for Claude Code and Copilot CLI that calls tools with arguments from earlier results. */
export async function serveHostModel(
  script: HostScript,
): Promise<{ readonly url: string; readonly tools: Set<string> }> {
  const tools = new Set<string>()
  let replies = 0
  const wire = await startWire(async ({ path, body }) => {
    const {
      messages = [],
      stream,
      model,
      tools: offered = [],
    } = (body ?? {}) as {
      messages?: readonly Message[]
      stream?: boolean
      model?: string
      tools?: readonly { name?: string; function?: { name?: string } }[]
    }
    for (const tool of offered) tools.add(tool.name ?? tool.function?.name ?? '')
    // Hosts also ask for titles and summaries, without tools.
    const reply = offered.length === 0 ? { text: 'A title' } : await script(resultsIn(messages))
    replies += 1
    const calls = reply.calls?.map((call, index) => ({ ...call, id: `call_${replies}_${index}` })) ?? []
    const usage = { input: 10, output: 10 }
    return wireReply({ path, model: model ?? 'fake', stream: stream === true }, { ...reply, calls, usage })
  })
  onTestFinished(() => wire.close())
  return { url: wire.url.replace(/\/v1$/, ''), tools }
}

/** Anthropic has results as blocks of user messages, OpenAI as messages of their own. */
function resultsIn(messages: readonly Message[]): string[] {
  return messages.flatMap(({ role, content }) => {
    if (role === 'tool') return [textOf(content)]
    if (!Array.isArray(content)) return []
    const blocks = content as readonly { type?: string; content?: unknown }[]
    return blocks.filter(({ type }) => type === 'tool_result').map((block) => textOf(block.content))
  })
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return (content as readonly { text?: string }[]).map(({ text = '' }) => text).join('\n')
}
