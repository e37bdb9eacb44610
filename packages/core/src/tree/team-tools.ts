import { array, object, optional, type Schema, schema, string } from '../ports/schema.ts'
import type { SessionSpec } from '../ports/session-spec.ts'
import { defineTool, type Tool } from '../ports/tool.ts'
import { nameKey } from '../vocabulary/name-key.ts'
import { didYouMean } from '../vocabulary/nearest.ts'
import { renameArguments } from '../vocabulary/rename-arguments.ts'
import { spellingsOf } from '../vocabulary/vocabulary.ts'
import { refuseCircularDelegation, refuseDelegation } from './delegation.ts'

/** The input of `create_team`. */
export interface TeamRequest {
  readonly name: string
  readonly description?: string
  readonly members: readonly MemberRequest[]
}

export interface MemberRequest {
  readonly name: string
  readonly agentType: string
  readonly initialPrompt: string
  readonly model?: string
}

/** The names by which teammates address their lead. Members cannot have these names. */
export const leadNames: readonly string[] = ['lead', 'team-lead']

const maxMembers = 50
const namePattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/** Returns whether this is a valid name for a team or a member. */
export function isTeamName(name: unknown): name is string {
  return typeof name === 'string' && namePattern.test(name)
}

const notRun = () => Promise.reject(new Error('unreachable: the loop carries out team calls itself'))

const member = object({
  name: nameOf("The teammate's name, which others use to send it messages", leadNames),
  agentType: string('The agent to run as this teammate', { min: 1, max: 200 }),
  initialPrompt: string("The teammate's first task, self-contained", { min: 1, max: 100_000 }),
  model: optional(string('A model for this teammate only', { min: 1, max: 200 })),
})

const createTeam = defineTool({
  name: 'create_team',
  description:
    "Create a team of agents that stay available. Each member starts on its initial prompt immediately, keeps its conversation, and continues when you or a teammate write to it with send_message. You receive the messages they send you and, when all of them are idle, each one's last reply.",
  class: 'agent',
  effect: 'read',
  kind: 'team',
  aliases: spellingsOf('create_team'),
  argumentAliases: { team_name: 'name', teamName: 'name' },
  adapt: Object.fromEntries(
    ['create_team', ...spellingsOf('create_team')].map((name) => [name, renameMemberKeys]),
  ),
  input: object({
    name: nameOf('The name of the team', []),
    description: optional(string('What the team is for', { max: 1_000 })),
    members: memberList(),
  }),
  run: notRun,
})

const deleteTeam = defineTool({
  name: 'delete_team',
  description:
    'Delete a team that you created. Its members stop, and messages that were not delivered are discarded.',
  class: 'agent',
  effect: 'read',
  kind: 'team',
  aliases: spellingsOf('delete_team'),
  argumentAliases: { team_name: 'name', teamName: 'name' },
  input: object({ name: string('The name of the team', { min: 1, max: 200 }) }),
  run: notRun,
})

/** The tools to add to `Ports.tools` together with the port `teams`. */
export const teamTools: readonly Tool[] = [createTeam as Tool, deleteTeam as Tool]

/** Returns the team that a call would create, or `undefined` for a call that deletes one. */
export function readTeam(tool: Tool, input: unknown): TeamRequest | undefined {
  return tool.name === createTeam.name ? (input as TeamRequest) : undefined
}

/** Returns the reason why this session may not start the members of a team. */
export function refuseTeam(
  session: SessionSpec,
  { members }: TeamRequest,
  maxDepth: number,
): ReturnType<typeof refuseDelegation> {
  for (const { name, agentType } of members) {
    if (nameKey(name) === nameKey(session.agent.name))
      return { code: 'delegation', reason: `${name} is your own name. Choose another name for the teammate.` }
    const target = targetOf(session, agentType)
    const circle = refuseCircularDelegation(session, agentType)
    if (circle !== undefined) return circle
    if (target !== undefined || !session.delegation) {
      const refusal = refuseDelegation(session, target ?? agentType, maxDepth)
      if (refusal !== undefined) return refusal
      continue
    }
    const hint = didYouMean(agentType, session.targets) || '.'
    return {
      code: 'delegation',
      reason: `The teammate ${name} cannot be started: ${session.agent.name} may not start an agent named ${JSON.stringify(agentType)}${hint} Agents it may start: ${session.targets.join(', ') || 'none'}.`,
    }
  }
  return undefined
}

/** Returns the agent's name as its own file spells it. */
export function targetOf({ targets }: SessionSpec, agentType: string): string | undefined {
  return targets.find((target) => nameKey(target) === nameKey(agentType))
}

/** Names become file names and addresses, so they must not contain path separators or invisible characters. */
function nameOf(description: string, reserved: readonly string[]): Schema<string> {
  return schema({ type: 'string', pattern: namePattern.source, description }, (value, path) => {
    if (!isTeamName(value)) return wrong('must be 1 to 64 letters, digits, hyphens or underscores', path)
    if (reserved.includes(value.toLowerCase())) return wrong(`cannot be ${JSON.stringify(value)}`, path)
    return { value }
  })
}

function memberList(): Schema<MemberRequest[]> {
  const list = array(member, 'The teammates') as Schema<MemberRequest[]>
  const json = { ...list.json, minItems: 1, maxItems: maxMembers }
  return schema(json, (value, path) => {
    const checked = list.check(value, path)
    if (checked.issues !== undefined) return checked
    const names = checked.value.map(({ name }) => name.toLowerCase())
    if (names.length === 0 || names.length > maxMembers)
      return wrong(`must be 1 to ${maxMembers} teammates`, path)
    const twice = checked.value.find(({ name }, index) => names.indexOf(name.toLowerCase()) < index)
    return twice === undefined
      ? checked
      : wrong(`has two teammates named ${twice.name}. Give each a different name`, path)
  })
}

const otherKeys: { readonly [spelling: string]: string } = {
  agent_type: 'agentType',
  subagent_type: 'agentType',
  initial_prompt: 'initialPrompt',
  prompt: 'initialPrompt',
}

/** Renames the keys of members from the spellings of other dialects. */
function renameMemberKeys(input: Record<string, unknown>): Record<string, unknown> {
  const { members } = input
  if (!Array.isArray(members)) return input
  const renamed = members.map((one) =>
    typeof one !== 'object' || one === null
      ? one
      : renameArguments(one as Record<string, unknown>, otherKeys),
  )
  return { ...input, members: renamed }
}

function wrong(message: string, path: readonly PropertyKey[]) {
  return { issues: [{ message, path }] }
}
