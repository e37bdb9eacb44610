import type { AgentDefinition, DelegateSelection } from '../ports/agent.ts'
import { boolean, integer, object, optional, type Schema, schema, string } from '../ports/schema.ts'
import type { SessionSpec } from '../ports/session-spec.ts'
import { defineTool, type Tool } from '../ports/tool.ts'
import { nameKey } from '../vocabulary/name-key.ts'
import { renameArguments } from '../vocabulary/rename-arguments.ts'
import { restrictionCoversTool } from '../vocabulary/select-tools.ts'
import { spellingsOf } from '../vocabulary/vocabulary.ts'
import { matchesWildcard } from '../vocabulary/wildcard.ts'

/** A delegation, whichever tool the call used. */
export interface Delegation {
  readonly target: string
  readonly work: string
  /** Set if the child must end with `reportOut`. */
  readonly expectations?: string
  /** False: the call returns immediately, and the report follows when the turn ends. */
  readonly wait: boolean
  readonly model?: string
  readonly maxRounds?: number
  readonly timeLimit?: number
}

const notRun = () =>
  Promise.reject(new Error('unreachable: the loop carries out delegation and reporting itself'))

const text = { min: 1, visible: true } as const

const agentSpellings = [
  'agentName',
  'agent_name',
  'agent',
  'agentType',
  'agent_type',
  'subagent_type',
  'subagentType',
  'subagent',
] as const
const workSpellings = ['workDescription', 'work_description', 'work', 'task', 'prompt'] as const

/** The delegation tools for these targets. Their names differ in how the child ends and whether the caller waits. */
export function delegationTools(targets: readonly string[]): readonly Tool[] {
  const waiting = defineTool({
    name: 'delegateWork',
    description:
      'Delegate a piece of work to another agent and wait for its report. Several calls in one reply run in parallel.',
    class: 'agent',
    effect: 'read',
    kind: 'delegate',
    aliases: spellingsOf('delegateWork'),
    argumentAliases: {
      ...other('agentName', agentSpellings),
      ...other('workDescription', workSpellings),
      ...other('reportExpectations', ['report_expectations', 'expectations']),
    },
    adapt: { delegateWork: describedWork },
    input: object({
      agentName: target(targets, 'The agent to delegate to'),
      workDescription: string(
        'The work, self-contained: the agent sees no other part of this conversation',
        text,
      ),
      reportExpectations: string('What the report must contain', text),
    }),
    run: notRun,
  })
  const background = defineTool({
    name: 'delegate_task',
    description:
      'Start an agent on a task in the background. The call returns immediately. When your turn ends, you get the results of all tasks together. Set wait_for_result to get the result from the call itself.',
    class: 'agent',
    effect: 'read',
    kind: 'delegate',
    aliases: spellingsOf('delegate_task'),
    argumentAliases: {
      ...other('subagent_type', agentSpellings),
      ...other('prompt', workSpellings),
      ...other('max_turns', ['maxTurns']),
      ...other('wait_for_result', ['waitForResult']),
      ...other('timeout_seconds', ['timeoutSeconds']),
    },
    adapt: {
      delegate_task: (input) => inBackground(input, {}),
      // In other programs, a delegation waits unless the call sets a background flag.
      ...Object.fromEntries(
        spellingsOf('delegate_task').map((name) => [
          name,
          (input: Record<string, unknown>) => inBackground(input, { wait_for_result: true }),
        ]),
      ),
    },
    input: object({
      description: optional(string('The task in three to five words')),
      prompt: string('The task, self-contained: the agent sees no other part of this conversation', text),
      subagent_type: target(targets, 'The agent to start'),
      model: optional(string('A model for this task only')),
      max_turns: optional(integer('Maximum number of rounds', { min: 1 })),
      wait_for_result: optional(boolean('Wait for the result instead of continuing; default false')),
      timeout_seconds: optional(integer('Time limit in seconds; default 300', { min: 1 })),
    }),
    run: notRun,
  })
  return [waiting as Tool, background as Tool]
}

export const reportOut: Tool = defineTool({
  name: 'reportOut',
  description: 'Submit your report and finish your work. Call it once, alone, when everything is done.',
  class: 'agent',
  effect: 'read',
  kind: 'report',
  aliases: spellingsOf('reportOut'),
  input: object({ report: string('The report, self-contained', text) }),
  run: notRun,
}) as Tool

/** Reads the validated input of a delegation tool. */
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

/**
 * The agents that a session may start: those that its definition allows, without itself, those that its rules deny, and those that models
 * may not start. An agent that the definition names may be started even if its own file hides it from models.
 */
export function allowedTargets(
  agent: AgentDefinition,
  all: readonly AgentDefinition[],
  entry: boolean,
): readonly AgentDefinition[] {
  const selection: DelegateSelection = agent.delegates ?? { kind: entry ? 'all' : 'none' }
  if (selection.kind === 'none') return []
  const others = all.filter((other) => other.name !== agent.name && !isTargetDenied(agent, other.name))
  if (selection.kind === 'all') return others.filter((other) => other.modelInvocable !== false)
  const wanted = new Set(selection.names.map(nameKey))
  return others.filter((other) => wanted.has(nameKey(other.name)))
}

let ways: readonly Tool[] | undefined

function waysToStart(): readonly Tool[] {
  ways ??= delegationTools([])
  return ways
}

/** Returns whether the agent's rules deny every way to start this target, such as `task: {reviewer: deny}`. */
export function isTargetDenied({ permissions }: AgentDefinition, target: string): boolean {
  if (permissions === undefined) return false
  const key = nameKey(target)
  const fitting = permissions.filter(({ pattern }) => matchesWildcard(nameKey(pattern), key))
  if (fitting.length === 0) return false
  return waysToStart().every(
    (tool) => fitting.findLast((rule) => restrictionCoversTool(rule.tool, tool))?.action === 'deny',
  )
}

/** Returns the reason why this chain does not permit the delegation, regardless of tool lists. */
export function refuseDelegation(
  session: SessionSpec,
  target: string,
  maxDepth: number,
): { code: 'delegation' | 'circular_delegation'; reason: string } | undefined {
  if (!session.delegation) return { code: 'delegation', reason: 'delegation is disabled for this run' }
  const circle = refuseCircularDelegation(session, target)
  if (circle !== undefined) return circle
  if (!session.targets.includes(target)) {
    return {
      code: 'delegation',
      reason: `${session.agent.name} may not delegate to ${target}. Allowed: ${session.targets.join(', ') || 'none'}.`,
    }
  }
  if (session.depth >= maxDepth) {
    return {
      code: 'delegation',
      reason: `delegation depth limit reached (${maxDepth}, limits.depth). Do the work yourself.`,
    }
  }
  return undefined
}

/** Returns the reason why a delegation would be circular. Targets do not include agents of the chain, so models are not offered them. */
export function refuseCircularDelegation(
  { chain }: SessionSpec,
  target: string,
): { code: 'circular_delegation'; reason: string } | undefined {
  const above = chain.find((name) => nameKey(name) === nameKey(target))
  if (above === undefined) return undefined
  const circle = [...chain, above].join(' → ')
  return {
    code: 'circular_delegation',
    reason: `Delegating to ${above} would be circular: ${circle}. Do the work yourself, or report what is missing.`,
  }
}

/** Accepts any name. The delegation rule refuses other targets, with the reason. */
function target(targets: readonly string[], description: string): Schema<string> {
  const known = new Map(targets.map((known) => [nameKey(known), known]))
  const name = string(description, text)
  return schema({ type: 'string', enum: targets, description }, (value, path) => {
    const checked = name.check(value, path)
    return checked.issues === undefined
      ? { value: known.get(nameKey(checked.value)) ?? checked.value }
      : checked
  })
}

function other(name: string, spellings: readonly string[]): { [spelling: string]: string } {
  return Object.fromEntries(
    spellings.filter((spelling) => spelling !== name).map((spelling) => [spelling, name]),
  )
}

/** A description is the work if there is no prompt. Otherwise it is a label. */
function describedWork({ description, ...rest }: Record<string, unknown>): Record<string, unknown> {
  const isLabel = description === undefined || workSpellings.some((spelling) => rest[spelling] !== undefined)
  return isLabel ? rest : { ...rest, workDescription: description }
}

/** Reads the background flags of Claude Code and VS Code. Their other additions have no counterpart here. */
function inBackground(
  input: Record<string, unknown>,
  defaults: { readonly wait_for_result?: boolean },
): Record<string, unknown> {
  const { run_in_background, name: _name, effort: _effort, ...written } = input
  const rest = renameArguments(written, { waitForResult: 'wait_for_result' })
  if (typeof run_in_background !== 'boolean') return { ...defaults, ...rest }
  return { ...defaults, ...rest, wait_for_result: !run_in_background }
}
