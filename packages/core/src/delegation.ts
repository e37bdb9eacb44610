import type { AgentDefinition, DelegateSelection } from './agent.ts'
import { boolean, integer, object, oneOf, optional, string } from './schema.ts'
import type { SessionSpec } from './session-spec.ts'
import { defineTool, type Tool } from './tool.ts'

/** What every spelling of delegation comes down to. */
export interface Delegation {
  readonly target: string
  readonly work: string
  /** Set when the child must end with `reportOut`. */
  readonly expectations?: string
  /** False: the call is answered at once and the report follows when the reply's turn is over. */
  readonly wait: boolean
  readonly model?: string
  readonly maxRounds?: number
  readonly timeLimit?: number
}

const notRun = () =>
  Promise.reject(new Error('unreachable: the loop carries out delegation and reporting itself'))

/** The delegation tools for these targets. Their names differ in how the child ends and whether the caller waits. */
export function delegationTools(targets: readonly string[]): readonly Tool[] {
  const waiting = defineTool({
    name: 'delegateWork',
    description:
      'Delegate a piece of work to another agent and wait for its report. Several calls in one reply run in parallel.',
    class: 'agent',
    effect: 'read',
    kind: 'delegate',
    input: object({
      agentName: oneOf(targets, 'The agent to delegate to'),
      workDescription: string(
        'The work, complete in itself: the agent sees nothing else of this conversation',
        { min: 1 },
      ),
      reportExpectations: string('What the report must contain', { min: 1 }),
    }),
    run: notRun,
  })
  const background = defineTool({
    name: 'delegate_task',
    description:
      'Start an agent on a task in the background. It is answered at once; when your turn ends, the results of all tasks come back together. Set wait_for_result to get the result from the call itself.',
    class: 'agent',
    effect: 'read',
    kind: 'delegate',
    aliases: ['Task', 'task', 'Agent', 'runSubagent'],
    argumentAliases: {
      agentName: 'subagent_type',
      agent_type: 'subagent_type',
      agent: 'subagent_type',
      maxTurns: 'max_turns',
    },
    adapt: { Task: waits, task: waits, Agent: waits, runSubagent: waits },
    input: object({
      description: optional(string('The task in three to five words')),
      prompt: string('The task, complete in itself: the agent sees nothing else of this conversation', {
        min: 1,
      }),
      subagent_type: oneOf(targets, 'The agent to start'),
      model: optional(string('A model for this task only')),
      max_turns: optional(integer('The most rounds it may take', { min: 1 })),
      wait_for_result: optional(boolean('Wait for the result instead of going on; default false')),
      timeout_seconds: optional(integer('The longest it may take; default 300', { min: 1 })),
    }),
    run: notRun,
  })
  return [waiting as Tool, background as Tool]
}

export const reportOut: Tool = defineTool({
  name: 'reportOut',
  description: 'Hand in your report and end your work. Call it once, alone, when everything is done.',
  class: 'agent',
  effect: 'read',
  kind: 'report',
  input: object({ report: string('The report, complete in itself', { min: 1 }) }),
  run: notRun,
}) as Tool

/** Reads the checked input of a delegation tool. */
export function readDelegation(tool: Tool, input: unknown): Delegation {
  const given = input as Record<string, string | number | boolean | undefined>
  if (tool.name === 'delegateWork') {
    return {
      target: String(given['agentName']),
      work: String(given['workDescription']),
      expectations: String(given['reportExpectations']),
      wait: true,
    }
  }
  const timeout = given['timeout_seconds'] as number | undefined
  return {
    target: String(given['subagent_type']),
    work: String(given['prompt']),
    wait: given['wait_for_result'] === true,
    ...(given['model'] !== undefined && { model: String(given['model']) }),
    ...(given['max_turns'] !== undefined && { maxRounds: given['max_turns'] as number }),
    ...(timeout !== undefined && { timeLimit: timeout * 1000 }),
  }
}

/** Agents a session may start: what its definition allows, less itself, its ancestors and those no model may start. */
export function allowedTargets(
  agent: AgentDefinition,
  all: readonly AgentDefinition[],
  entry: boolean,
): readonly AgentDefinition[] {
  const selection: DelegateSelection = agent.delegates ?? { kind: entry ? 'all' : 'none' }
  if (selection.kind === 'none') return []
  const open = all.filter((other) => other.name !== agent.name && other.modelInvocable !== false)
  if (selection.kind === 'all') return open
  const wanted = new Set(selection.names.map((name) => name.toLowerCase()))
  return open.filter((other) => wanted.has(other.name.toLowerCase()))
}

/** Why this delegation is not possible in this chain, whatever the lists allow. */
export function refuseDelegation(
  session: SessionSpec,
  target: string,
  maxDepth: number,
): { code: string; reason: string } | undefined {
  if (!session.delegation) return { code: 'delegation', reason: 'delegation is switched off for this run' }
  if (!session.targets.includes(target)) {
    return {
      code: 'delegation',
      reason: `${session.agent.name} may not delegate to ${target}; allowed: ${session.targets.join(', ') || 'nobody'}`,
    }
  }
  if (session.chain.includes(target)) {
    return {
      code: 'circular_delegation',
      reason: `${target} is already at work above in this chain: ${session.chain.join(' → ')}`,
    }
  }
  if (session.depth >= maxDepth) {
    return {
      code: 'delegation',
      reason: `delegations may be ${maxDepth} deep and this would be deeper; do the work yourself`,
    }
  }
  return undefined
}

function waits(input: Record<string, unknown>): Record<string, unknown> {
  return { wait_for_result: true, ...input }
}
