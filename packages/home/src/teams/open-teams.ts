/**
 * Owns `teams/`, with the teams and the messages of their members. The inboxes of a team are mailboxes: a file of messages and a file of
 * receipts for each member, and `lead` for the leading session.
 *
 * 1. A message is on disk before its sender learns that it was sent. There is one message per id.
 * 2. Only the process that runs its lead serves a team, because a tree of sessions has one owner.
 * 3. Names of teams and members are checked before they become part of a path. `team-folder.ts` owns the files of a team.
 */
import { existsSync } from 'node:fs'
import { CadreError, isTeamName, nameKey, type Teams, type Work } from '@cadre/core'
import { listFolder, rawOf } from '@cadre/disk'
import { editFile } from '../home/edit-shared-file.ts'
import type { Home } from '../home/home.ts'
import { isSessionName } from '../home/valid-session-name.ts'
import { withLock } from '../leases/with-lock.ts'
import { appendLine } from '../lines/append-line.ts'
import { type MailMessage, messageToLine, receiptToLine } from '../mailboxes/mail-message.ts'
import { mailText } from '../mailboxes/mail-text.ts'
import { receiptsName } from '../mailboxes/mailbox-name.ts'
import { readForeignMessages } from './import-inbox.ts'
import { leadInboxName, type Place, Team } from './team.ts'
import { configFromTeam, readTeamConfig, type TeamConfig } from './team-config.ts'
import {
  configName,
  teamsFolder as folder,
  inboxesFolder,
  refuseFolder,
  refuseLinks,
  removeTeamFiles,
} from './team-folder.ts'

/** The receiver that a session names, in its teams. */
export type TeamAddress =
  | {
      readonly kind: 'member'
      readonly team: string
      /** The name of the receiver in the team. `lead` for the lead. */
      readonly member: string
      readonly session: string
      /** The name of the sender in the team. */
      readonly from: string
      /** True if this process serves the team, so the message will be delivered. */
      readonly isServed: boolean
    }
  /** Several of its teams have a member with this name. */
  | { readonly kind: 'ambiguous'; readonly names: readonly string[] }
  /** No member of its teams has this name. `names`: the members. */
  | { readonly kind: 'nobody'; readonly names: readonly string[] }

export interface TeamFiles extends Teams {
  /** Returns `undefined` for a session without a team. */
  addressOf(session: string, to: string): TeamAddress | undefined
  post(team: string, message: MailMessage): Promise<'new' | 'known'>
  /** Returns whether this message is in the inbox of a member. */
  has(team: string, member: string, id: string): boolean
  /** Returns the reason why the team may not send another message. */
  refuseMessage(team: string): string | undefined
}

export interface TeamsOptions {
  /** The maximum number of messages per team. */
  readonly maxMessages: number
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

export function openTeams(home: Home, { maxMessages, now = Date.now }: TeamsOptions): TeamFiles {
  /** By name key. */
  const teams = new Map<string, Team>()
  const listeners = new Map<string, () => void>()
  const time = () => new Date(now()).toISOString()

  function folderOf(name: string): string {
    return listFolder(home.at(folder)).find((entry) => nameKey(entry) === nameKey(name)) ?? name
  }
  function teamNamed(name: string): Team | undefined {
    const known = teams.get(nameKey(name))
    if (known !== undefined || !isTeamName(name)) return known
    const place = folderOf(name)
    if (refuseLinks(home, place) !== undefined) return undefined
    const config = readTeamConfig(home.at(folder, place, configName))
    if (config === undefined || config === 'unreadable' || nameKey(config.name) !== nameKey(name))
      return undefined
    return keep(place, config)
  }
  function keep(place: string, config: TeamConfig): Team {
    const team = new Team(home, place, config)
    teams.set(nameKey(config.name), team)
    return team
  }
  function knownPlaces(session: string): Place[] {
    return [...teams.values()].flatMap((team) => {
      const { leadAgentId, members } = team.config
      const own = members.find(({ agentId }) => agentId === session)
      return [
        ...(own === undefined ? [] : [{ team, member: own.name }]),
        ...(leadAgentId === session ? [{ team, member: leadInboxName }] : []),
      ]
    })
  }
  /** Returns the teams that a session leads or is a member of. Searches the disk for teams that this process has not seen. */
  function placesOf(session: string): Place[] {
    const known = knownPlaces(session)
    if (known.length > 0) return known
    for (const name of listFolder(home.at(folder))) teamNamed(name)
    return knownPlaces(session)
  }
  function tell({ config }: Team): void {
    listeners.get(config.leadAgentId)?.()
  }
  function toWork(place: Place, message: MailMessage, leads: boolean): Work {
    const { team, member } = place
    const { name } = team.config
    const isAnswerable = message.session !== ''
    const answer = leads ? `${name}/${message.from}` : message.from
    return {
      content: mailText(message, isAnswerable ? answer : undefined),
      from: message.from,
      message: `team/${name}/${member}/${message.id}`,
    }
  }
  function unread(session: string): readonly Work[] {
    const places = placesOf(session)
    const leadsSeveral = places.filter(({ member }) => member === leadInboxName).length > 1
    return places.flatMap((place) => {
      const messages = place.team.box(place.member)?.undelivered() ?? []
      return messages.map((message) => toWork(place, message, leadsSeveral && place.member === leadInboxName))
    })
  }

  return {
    async create(wanted) {
      const { name, key } = wanted
      if (!isTeamName(name)) return `${JSON.stringify(name)} is not a valid team name.`
      let made: { readonly team: Team; readonly place: string } | undefined
      const linked = refuseLinks(home, folderOf(name))
      if (linked !== undefined) return linked
      home.folder(folder)
      const refused = await withLock(home, `${folder}-${nameKey(name)}`, () => {
        const place = folderOf(name)
        const file = home.at(folder, place, configName)
        const before = readTeamConfig(file)
        if (before === 'unreadable')
          return `${folder}/${place}/config.json cannot be read. Choose another name, or ask a person to remove that folder.`
        if (before?.createdBy === key) {
          made = { team: keep(place, before), place }
          return undefined
        }
        if (before !== undefined && isSession(before.leadAgentId))
          return `A team named ${before.name} already exists, led by session ${before.leadAgentId}. Choose another name.`
        const strange = refuseLinks(home, place) ?? refuseFolder(home, place)
        if (strange !== undefined) return strange
        home.folder(folder, place, inboxesFolder)
        const config = configFromTeam(wanted, time())
        editFile(file, () => rawOf(`${JSON.stringify(config, null, 2)}\n`))
        made = { team: keep(place, config), place }
        return undefined
      })
      if (made === undefined) return refused ?? 'Cannot create the team.'
      const { team, place } = made
      for (const message of readForeignMessages(home.at(folder, place, inboxesFolder)))
        if (team.boxes.has(message.to))
          await appendLine(home, team.inboxes, message.to, messageToLine(message))
      return undefined
    },
    async remove(name, lead) {
      const team = teamNamed(name)
      if (team === undefined || team.config.leadAgentId !== lead) return
      const place = folderOf(name)
      const linked = refuseLinks(home, place)
      if (linked !== undefined) throw new CadreError('configuration', linked)
      teams.delete(nameKey(name))
      removeTeamFiles(home, place, team.boxes.keys())
    },
    leadOf: (name) => teamNamed(name)?.config.leadAgentId,
    unread(session) {
      try {
        return unread(session)
      } catch {
        // An unreadable message can be read later.
        return []
      }
    },
    async received(session, message) {
      for (const { team, member } of placesOf(session)) {
        const prefix = `team/${team.config.name}/${member}/`
        if (!message.startsWith(prefix)) continue
        const id = message.slice(prefix.length)
        const receipt = receiptToLine({ id, at: time(), deliveredTo: session, depth: 0 })
        await appendLine(home, team.inboxes, receiptsName(member), receipt)
        team.box(member)?.receive(id)
      }
    },
    serve(lead, listener) {
      listeners.set(lead, listener)
      return () => {
        if (listeners.get(lead) === listener) listeners.delete(lead)
      }
    },
    addressOf(session, to) {
      const places = placesOf(session)
      if (places.length === 0) return undefined
      const candidates = places.flatMap(({ team, member }) =>
        team.others(member, listeners.has(team.config.leadAgentId)),
      )
      const wanted = nameKey(to)
      const found = candidates.filter(
        ({ team, member, session, names }) =>
          session === to || [...names, `${team}/${member}`].some((name) => nameKey(name) === wanted),
      )
      const [only] = found
      if (only !== undefined && found.length === 1) {
        const { names: _names, ...address } = only
        return { kind: 'member', ...address }
      }
      const list = (from: typeof candidates) =>
        from.map(({ team, member }) => (places.length > 1 ? `${team}/${member}` : member))
      return only === undefined
        ? { kind: 'nobody', names: list(candidates) }
        : { kind: 'ambiguous', names: list(found) }
    },
    async post(name, message) {
      const team = teamNamed(name)
      if (team === undefined) throw new Error(`the team ${name} no longer exists`)
      const { id, to } = message
      team.pending.set(id, to)
      try {
        return await appendLine(home, team.inboxes, to, messageToLine(message))
      } finally {
        team.pending.delete(id)
        tell(team)
      }
    },
    has: (name, member, id) => teamNamed(name)?.box(member)?.ids.has(id) === true,
    refuseMessage(name) {
      const team = teamNamed(name)
      if (team === undefined) return undefined
      if (team.count() < maxMessages) return undefined
      return `Message limit reached for team ${team.config.name} (${maxMessages}, limits.teamMessages). Finish with what you have and report what is left.`
    },
  }

  function isSession(id: string): boolean {
    return isSessionName(id) && existsSync(home.at('sessions', `${id}.session.yaml`))
  }
}
