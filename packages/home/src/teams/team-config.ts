import { isObject, isTeamName, type NewTeam, parseJson } from '@cadre/core'
import { textOf } from '@cadre/disk'
import { readPlainFile } from '../home/edit-shared-file.ts'

/** A team, as stored in `teams/<team>/config.json`. */
export interface TeamConfig {
  readonly name: string
  readonly description?: string
  readonly createdAt: string
  /** The session that leads it. */
  readonly leadAgentId: string
  readonly leadAgentType?: string
  readonly members: readonly TeamConfigMember[]
  /** The call that created it. */
  readonly createdBy?: string
}

export interface TeamConfigMember {
  /** Its session. */
  readonly agentId: string
  readonly name: string
  readonly agentType: string
  readonly model?: string
  readonly joinedAt: string
}

export function configFromTeam(team: NewTeam, at: string): TeamConfig {
  const { name, description, lead, leadAgent, members, key } = team
  return {
    name,
    ...(description !== undefined && { description }),
    createdAt: at,
    leadAgentId: lead,
    leadAgentType: leadAgent,
    members: members.map(({ name, agent, session, model }) => ({
      agentId: session,
      name,
      agentType: agent,
      ...(model !== undefined && { model }),
      joinedAt: at,
    })),
    createdBy: key,
  }
}

/** Returns `undefined` if there is no such file, and `unreadable` if it does not describe a team. Skips invalid members. */
export function readTeamConfig(file: string): TeamConfig | 'unreadable' | undefined {
  let raw: string | undefined
  try {
    const bytes = readPlainFile(file)
    raw = bytes === undefined ? undefined : textOf(bytes)
  } catch {
    return 'unreadable'
  }
  if (raw === undefined) return undefined
  const parsed = parseJson(raw)
  if (!parsed.ok || !isObject(parsed.value)) return 'unreadable'
  const { name, description, createdAt, leadAgentId, leadAgentType, members, createdBy } = parsed.value
  if (!isTeamName(name) || typeof leadAgentId !== 'string' || !Array.isArray(members)) return 'unreadable'
  return {
    name,
    ...(typeof description === 'string' && { description }),
    createdAt: String(createdAt ?? ''),
    leadAgentId,
    ...(typeof leadAgentType === 'string' && { leadAgentType }),
    members: members.flatMap((member) => (isMember(member) ? [member] : [])),
    ...(typeof createdBy === 'string' && { createdBy }),
  }
}

function isMember(member: unknown): member is TeamConfigMember {
  if (!isObject(member)) return false
  const { agentId, name, agentType } = member
  return typeof agentId === 'string' && isTeamName(name) && typeof agentType === 'string'
}
