import type { EventDraft } from '../ports/entry.ts'
import { messageOf } from '../ports/errors.ts'
import type { JudgedCall } from '../ports/gate.ts'
import { addUsage, noUsage, type Report } from '../ports/report.ts'
import type { Teams } from '../ports/teams.ts'
import type { Outcome } from '../session/perform.ts'
import type { Session } from '../session/session.ts'
import { startedMembers } from '../session/started-sessions.ts'
import { nameKey } from '../vocabulary/name-key.ts'
import { didYouMean } from '../vocabulary/nearest.ts'
import { readTeam, type TeamRequest, targetOf } from './team-tools.ts'

/** The fields that are recorded when a team call starts: the team and, if the call creates it, the sessions of its members. */
export function teamStart({ spec, ports, tree }: Session, { tool, input }: JudgedCall): Partial<EventDraft> {
  const request = readTeam(tool, input)
  if (request === undefined) return { team: (input as { name: string }).name }
  const members = request.members.map(({ name, agentType }) => {
    const child = ports.ids.session(targetOf(spec, agentType) ?? agentType, spec.root)
    tree.count(child)
    return [name, child] as const
  })
  return { team: request.name, members: Object.fromEntries(members) }
}

/** Creates or deletes a team. Both can be repeated. Members start when the result is recorded: see `Teammates`. */
export async function changeTeam(session: Session, judged: JudgedCall): Promise<Outcome | undefined> {
  const { teams } = session.ports
  if (teams === undefined) return failed('Teams are not available in this run: it has no message store.')
  const request = readTeam(judged.tool, judged.input)
  try {
    if (request === undefined)
      return await deleteTeam(session, (judged.input as { name: string }).name, teams)
    return await createTeam(session, request, judged.call.id, teams)
  } catch (error) {
    return session.node.signal.aborted ? undefined : failed(messageOf(error))
  }
}

async function createTeam(
  session: Session,
  request: TeamRequest,
  call: string,
  teams: Teams,
): Promise<Outcome> {
  const { spec, state } = session
  const { name, description } = request
  const own = state.teams.get(nameKey(name))
  if (own !== undefined)
    return failed(
      `You already lead a team named ${own.name}, with ${[...own.members.keys()].join(', ')}. Send them messages, delete it with delete_team, or choose another name.`,
    )
  const sessions = startedMembers(state.calls.get(call)?.started?.['members'])
  const members = request.members.map(({ name, agentType, model }) => ({
    name,
    agent: targetOf(spec, agentType) ?? agentType,
    session: sessions.get(name) ?? '',
    ...(model !== undefined && { model }),
  }))
  const key = `${spec.id}/${call}`
  const lead = { lead: spec.id, leadAgent: spec.agent.name }
  const refused = await teams.create({ name, ...(description && { description }), ...lead, members, key })
  if (refused !== undefined) return failed(refused)
  const list = members.map(({ name, agent }) => `${name} (${agent})`).join(', ')
  return {
    content: `The team ${name} was created: ${list}. They are now working on their initial prompts. Write to them with send_message. To wait for them, end your turn: you continue when one of them writes to you, or when all of them are idle.`,
  }
}

async function deleteTeam(session: Session, wanted: string, teams: Teams): Promise<Outcome | undefined> {
  const { spec, state, node } = session
  const team = state.teams.get(nameKey(wanted))
  if (team === undefined && teams.leadOf(wanted) !== spec.id) {
    const own = [...state.teams.values()].map(({ name }) => name)
    const hint = didYouMean(wanted, own) || '.'
    const lead = teams.leadOf(wanted)
    return failed(
      lead === undefined
        ? `There is no team named ${JSON.stringify(wanted)}${hint} Teams you lead: ${own.join(', ') || 'none'}`
        : `Session ${lead} leads the team ${wanted}. Only a team's lead can delete it. Teams you lead: ${own.join(', ') || 'none'}`,
    )
  }
  const reports = (team && (await session.teammates?.disband(team))) ?? []
  if (node.signal.aborted) return undefined
  await teams.remove(team?.name ?? wanted, spec.id)
  return {
    content: `The team ${team?.name ?? wanted} was deleted, and its members have stopped.`,
    ...costOf(reports),
  }
}

function costOf(reports: readonly Report[]): Pick<Outcome, 'usage' | 'sessions' | 'calls'> {
  if (reports.length === 0) return {}
  return {
    usage: reports.reduce((sum, { usage }) => addUsage(sum, usage), noUsage),
    sessions: reports.reduce((sum, { sessions }) => sum + sessions, 0),
    calls: reports.reduce((sum, { calls }) => sum + calls, 0),
  }
}

function failed(content: string): Outcome {
  return { outcome: 'failed', code: 'team', content }
}
