import { leadNames } from '@cadre/core'
import type { Home } from '../home/home.ts'
import type { TeamConfig } from './team-config.ts'
import { inboxesFolder, teamsFolder } from './team-folder.ts'
import { TeamInbox } from './team-inbox.ts'

/** The name of the inbox of the session that leads a team. */
export const leadInboxName = 'lead'

/** A session's position in a team. */
export interface Place {
  readonly team: Team
  /** `lead`, or the name of a member. */
  readonly member: string
}

export class Team {
  readonly config: TeamConfig
  /** Its folder of inboxes, relative to the home. */
  readonly inboxes: string
  readonly boxes: ReadonlyMap<string, TeamInbox>
  /** Messages that are being written: their receivers, by id. */
  readonly pending = new Map<string, string>()

  constructor(home: Home, name: string, config: TeamConfig) {
    this.config = config
    this.inboxes = `${teamsFolder}/${name}/${inboxesFolder}`
    const owners = [leadInboxName, ...config.members.map((member) => member.name)]
    this.boxes = new Map(owners.map((owner) => [owner, new TeamInbox(home, this.inboxes, owner)]))
  }

  box(member: string): TeamInbox | undefined {
    const box = this.boxes.get(member)
    box?.refresh()
    return box
  }

  /** The number of messages it has sent, including those being written. */
  count(): number {
    let count = 0
    for (const member of this.boxes.keys()) count += this.box(member)?.ids.size ?? 0
    for (const [id, member] of this.pending) if (!this.boxes.get(member)?.ids.has(id)) count += 1
    return count
  }

  sessionOf(member: string): string {
    if (member === leadInboxName) return this.config.leadAgentId
    return this.config.members.find(({ name }) => name === member)?.agentId ?? ''
  }

  /** All members except one, with their names. */
  others(own: string, isServed: boolean) {
    const { name, leadAgentType } = this.config
    return [...this.boxes.keys()]
      .filter((member) => member !== own)
      .map((member) => ({
        team: name,
        member,
        session: this.sessionOf(member),
        from: own,
        isServed,
        names: member === leadInboxName ? [...leadNames, leadAgentType ?? leadInboxName] : [member],
      }))
  }
}
