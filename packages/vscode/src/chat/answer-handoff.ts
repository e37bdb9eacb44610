import { type AgentDefinition, CadreError, didYouMean, type Handoff, handoffHistory } from '@cadre/core'
import type { Runtime } from '@cadre/runtime'
import type * as vscode from 'vscode'
import { historyOf } from './history-of.ts'
import { parseHandoff } from './parse-command.ts'
import { lastAnswer, readTurns } from './read-turns.ts'
import { runAgent, type Turn } from './turn.ts'

/** `/handoff NAME what to do`: hands the conversation to another agent. */
export async function handOff(turn: Turn): Promise<vscode.ChatResult> {
  const parsed = parseHandoff(turn.request.prompt)
  if (parsed === undefined)
    throw new CadreError('usage', 'Name the agent and what it should do: /handoff NAME what to do')
  return turn.use(async (runtime) => {
    const agent = agentNamed(runtime, parsed.agent)
    const handoff = await offeredHandoff(turn, runtime, agent)
    const prompt = parsed.prompt || handoff?.prompt || 'Continue.'
    const history = await historyFor(turn, runtime, handoff)
    return runAgent(turn, runtime, { agent, prompt, history, model: handoff?.model })
  })
}

function agentNamed({ agents }: Runtime, name: string): AgentDefinition {
  const agent = agents.get(name)
  if (agent !== undefined && agent.userInvocable !== false) return agent
  const names = agents
    .list()
    .filter(({ userInvocable }) => userInvocable !== false)
    .map((one) => one.name)
  const known = names.length === 0 ? 'There are no agents.' : `Agents: ${names.join(', ')}.`
  throw new CadreError(
    'not_found',
    `There is no agent ${JSON.stringify(name)}${didYouMean(name, names) || '.'} ${known}`,
  )
}

/** The handoff that the last agent offered to this one, if any: its model, and its history. */
async function offeredHandoff(
  { context }: Turn,
  runtime: Runtime,
  agent: AgentDefinition,
): Promise<Handoff | undefined> {
  const stored = await lastSession(context, runtime)
  return stored?.spec.agent.handoffs?.find(({ agent: to }) => to.toLowerCase() === agent.name.toLowerCase())
}

/** The conversation so far: from the record of the last session if available, otherwise from the chat. */
async function historyFor(
  { context }: Turn,
  runtime: Runtime,
  handoff: Handoff | undefined,
): Promise<ReturnType<typeof historyOf>> {
  if (handoff?.context === 'none') return []
  const stored = await lastSession(context, runtime)
  if (stored === undefined) return historyOf(readTurns(context))
  return handoffHistory(stored, handoff?.context)
}

async function lastSession(context: vscode.ChatContext, runtime: Runtime) {
  const session = lastAnswer(context)?.session
  // It may be in another home: then the chat is used.
  return session === undefined ? undefined : runtime.read(session).catch(() => undefined)
}
