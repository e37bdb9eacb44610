import type { AgentDefinition, Message, ModelRequest } from '@cadre/core'
import { createPlaybookReader } from '../../../packages/backends/src/scripted/read-playbook.ts'
import { playScript } from '../../../packages/backends/src/scripted/scripted-model.ts'
import {
  type ChatAnswer,
  type ChatMessage,
  type ChatRequest,
  type ChatScript,
  textOf,
} from './fake-github.ts'

export interface PlayedScript {
  readonly script: ChatScript
  /** Requests that are not in the playbook. */
  readonly problems: readonly string[]
  /** Unused lines of the playbook. */
  leftovers(): readonly { readonly where: string }[]
}

type Agent = Pick<AgentDefinition, 'name' | 'prompt'>

/**
 * A playbook as the model behind GitHub, so that an example plays the same lines with the scripted model and with Copilot.
 * The lane follows from the agent's prompt, which the language server passes on unchanged.
 */
export async function playbookScript(file: string, agents: readonly Agent[]): Promise<PlayedScript> {
  const playbook = await createPlaybookReader()(file)
  if (playbook === undefined) throw new Error(`There is no playbook ${file}.`)
  const model = playScript(playbook, { id: 'scripted:github' })
  const problems: string[] = []
  // Replies of the previous agent are not rounds of the agent after a handoff.
  const earlier = new Map<string, number>()
  return { script, problems, leftovers: () => model.leftovers() }

  async function script(chat: ChatRequest): Promise<ChatAnswer> {
    // The server adds its own text about the machine first.
    const begin = chat.messages.findIndex((message) => textOf(message).includes('<system_instructions>'))
    const messages = chat.messages.slice(begin)
    const first = messages.slice(0, 1).map(textOf).join()
    const agent = agents.find(({ prompt }) => first.includes(prompt.trim()))
    if (begin < 0 || agent === undefined) return problem(`No agent has the prompt of this request: ${first}`)
    const replies = messages.filter(({ role }) => role === 'assistant').length
    if (!earlier.has(first)) earlier.set(first, replies)
    const round = replies - (earlier.get(first) ?? 0) + 1
    const request = requestOf({ ...chat, messages }, agent, round)
    const said = await model.reply(request, { text() {} }, new AbortController().signal)
    if (said.kind === 'failed') return problem(said.message)
    const calls = said.calls.map(({ function: { name, arguments: input } }) => ({
      name,
      input: JSON.parse(input) as unknown,
    }))
    return { ...(said.content !== null && { text: said.content }), calls }
  }

  function problem(message: string): ChatAnswer {
    problems.push(message)
    return { status: 400, body: { error: { message } } }
  }
}

function requestOf(chat: ChatRequest, { name, prompt }: Agent, round: number): ModelRequest {
  const tools = (chat.tools ?? []).map(({ function: { name, description } }) => ({
    name,
    description,
    parameters: {},
  }))
  return {
    agent: name,
    session: name,
    round,
    system: prompt,
    messages: chat.messages.flatMap(messageOf),
    tools,
  }
}

function messageOf(message: ChatMessage): Message[] {
  const content = textOf(message)
  if (message.role === 'user') return [{ role: 'user', content }]
  if (message.role === 'assistant') return [{ role: 'assistant', content, tool_calls: [] }]
  if (message.role === 'tool')
    return [{ role: 'tool_result', tool_call_id: message.tool_call_id ?? '', content }]
  return []
}
