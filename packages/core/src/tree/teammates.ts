/**
 * Owns the teammates of one session, its lead, while that session runs. The loop calls it.
 *
 * 1. A teammate is one session and runs at most once at a time. It starts with its first prompt, ends like any session, and is reopened
 *    when a message arrives, so it holds no resources while idle.
 * 2. The record of the lead lists the teammates, and their own records contain their work. This class keeps no durable state.
 * 3. Teammates are children of the lead: its stop, controls, budget and run limits apply to them.
 * 4. Nothing starts after `stop`, once the lead was stopped, or while the tree is being paused.
 */

import type { QuestionId } from '../ports/engine.ts'
import { CadreError, Suspended } from '../ports/errors.ts'
import type { Report } from '../ports/report.ts'
import type { SessionSpec } from '../ports/session-spec.ts'
import type { Teams } from '../ports/teams.ts'
import { readCall, readInput } from '../rules/create-gate.ts'
import type { LedTeammates, TeammateResult } from '../session/led-teammates.ts'
import { hasUnrecordedMessages } from '../session/mail.ts'
import { teammateWork } from '../session/prompt.ts'
import type { Session } from '../session/session.ts'
import type { TeamState } from '../session/session-state.ts'
import { foldEntries } from '../session/state.ts'
import { buildSessionSpec } from './build-session-spec.ts'
import { failedStart } from './delegate.ts'
import { canChange, isolateSession, sharedPlace } from './isolate.ts'
import { readTeam, type TeamRequest, targetOf } from './team-tools.ts'
import type { StopReason } from './tree.ts'

interface Teammate {
  readonly name: string
  readonly team: TeamState
  readonly child: string
  /** Absent if unknown. */
  agent?: string
  spec?: SessionSpec
  running?: Promise<void> | undefined
  /** True if its work is done, and only a message starts it again. */
  isIdle: boolean
  last?: Report
  /** The error that prevented its end. */
  failure?: unknown
  /** The message that it was last started for and did not accept. It is not started again for this message. */
  refused?: string | undefined
}

export class Teammates implements LedTeammates {
  readonly #session: Session
  readonly #teams: Teams
  readonly #mates = new Map<string, Teammate>()
  readonly #waiting = new Set<() => void>()
  readonly #unserve: () => void
  #isStopped = false

  private constructor(session: Session, teams: Teams) {
    this.#session = session
    this.#teams = teams
    this.#unserve = teams.serve(session.spec.id, () => this.#wakeAll())
  }

  /** Returns whether a session leads a team, or has led one in this life. */
  static isLead({ state, teammates }: Session): boolean {
    return state.teams.size > 0 || teammates !== undefined
  }

  /** Updates the teammates of a session that leads a team. */
  static async attend(session: Session): Promise<void> {
    const { teams } = session.ports
    if (teams === undefined || !Teammates.isLead(session)) return
    session.teammates ??= new Teammates(session, teams)
    await session.teammates.update()
  }

  async update(): Promise<void> {
    const wanted = new Map<string, Teammate>()
    for (const team of this.#session.state.teams.values())
      for (const [name, child] of team.members) wanted.set(child, { name, team, child, isIdle: false })
    // Their team is no longer in the record.
    const gone = [...this.#mates.values()].filter(({ child }) => !wanted.has(child))
    for (const { child } of gone) this.#mates.delete(child)
    void this.#end(gone, { kind: 'cancelled', by: 'parent' })
    const fresh = [...wanted.values()].filter(({ child }) => !this.#mates.has(child))
    await Promise.all(fresh.map((mate) => this.#recall(mate)))
    for (const mate of fresh) this.#mates.set(mate.child, mate)
    if (fresh.length > 0) this.#wakeAll()
  }

  get working(): number {
    let count = 0
    for (const { running } of this.#mates.values()) if (running !== undefined) count += 1
    return count
  }

  get isBusy(): boolean {
    return this.working > 0 || this.takeResults().length > 0
  }

  async settled(): Promise<void> {
    const { node } = this.#session
    this.#wakeAll()
    while (!node.isStopped && this.working > 0 && !hasUnrecordedMessages(this.#session)) await this.#change()
  }

  requireEnds(): void {
    const failures = [...this.#mates.values()].flatMap(({ failure }) =>
      failure === undefined ? [] : [failure],
    )
    const broken = failures.find((failure) => !(failure instanceof Suspended))
    if (broken !== undefined) throw broken
    const questions: QuestionId[] = failures.flatMap((failure) => (failure as Suspended).questions)
    if (failures.length > 0) throw new Suspended(questions)
  }

  takeResults(): readonly TeammateResult[] {
    const { givenNotices: told } = this.#session.state
    return [...this.#mates.values()].flatMap(({ name, team, child, last: report }) => {
      const key = `${child}/${report?.messages ?? 0}`
      return report === undefined || told.has(key) ? [] : [{ name, team: team.name, report, key }]
    })
  }

  undelivered(): readonly { readonly name: string; readonly team: string; readonly count: number }[] {
    return [...this.#mates.values()].flatMap(({ name, team, child }) => {
      const count = this.#teams.unread(child).length
      return count === 0 ? [] : [{ name, team: team.name, count }]
    })
  }

  async disband(team: TeamState): Promise<readonly Report[]> {
    const mates = [...this.#mates.values()].filter((mate) => mate.team.call.id === team.call.id)
    for (const { child } of mates) this.#mates.delete(child)
    return this.#end(mates, { kind: 'cancelled', by: 'parent' })
  }

  async stop(reason?: StopReason): Promise<readonly Report[]> {
    this.#isStopped = true
    this.#unserve()
    return this.#end([...this.#mates.values()], reason && (this.#session.node.reason ?? reason))
  }

  async #end(mates: readonly Teammate[], reason: StopReason | undefined): Promise<readonly Report[]> {
    for (const { child, running } of mates)
      if (reason !== undefined && running !== undefined) this.#session.tree.node(child)?.stop(reason)
    await Promise.all(mates.map(({ running }) => running))
    return mates.flatMap(({ last }) => last ?? [])
  }

  /** Restores the state of a teammate from its record. */
  async #recall(mate: Teammate): Promise<void> {
    const { ports, tree } = this.#session
    const stored = await ports.engine.read(mate.child)
    if (stored === undefined) return
    mate.spec = stored.spec
    const { ended, cancelledBy, sessions } = foldEntries(stored.entries, mate.child)
    tree.count(mate.child, sessions)
    if (ended === undefined || (ended.status === 'cancelled' && cancelledBy === 'run')) return
    mate.isIdle = true
    mate.last = ended
  }

  #wakeAll(): void {
    for (const mate of this.#mates.values()) this.#wake(mate)
    this.#tellChange()
  }

  #wake(mate: Teammate): void {
    const { node, tree } = this.#session
    if (this.#isStopped || node.isStopped || tree.isPausing || !this.#mates.has(mate.child)) return
    if (mate.running !== undefined || mate.failure !== undefined) return
    const message = this.#teams.unread(mate.child)[0]?.message
    if (mate.isIdle && (message === undefined || message === mate.refused)) return
    mate.running = this.#run(mate, message).finally(() => {
      mate.running = undefined
      // Messages may have arrived while it ended.
      this.#wake(mate)
      this.#tellChange()
    })
  }

  async #run(mate: Teammate, message: string | undefined): Promise<void> {
    const { run, tree } = this.#session
    try {
      mate.spec ??= await this.#specify(mate)
      // Its team may have been deleted in the meantime.
      if (this.#isStopped || !this.#mates.has(mate.child)) return
      mate.last = await run.spawn(mate.spec)
      if (!tree.hasEntered(mate.child)) tree.count(mate.child, mate.last.sessions)
    } catch (error) {
      const isExpected = error instanceof CadreError && error.code !== 'corrupt' && error.code !== 'owned'
      if (isExpected) mate.last = failedStart(this.#session, mate.child, mate.agent ?? mate.name, error)
      else mate.failure = error
    }
    mate.isIdle = true
    const next = this.#teams.unread(mate.child)[0]?.message
    mate.refused = next === message ? next : undefined
  }

  async #specify(mate: Teammate): Promise<SessionSpec> {
    const { name, team, child } = mate
    const { spec, ports, tree, node } = this.#session
    const request = await this.#requestOf(team)
    const member = request?.members.find((one) => one.name === name)
    if (request === undefined || member === undefined)
      throw new CadreError(
        'delegation',
        `the record of the call that created the team ${team.name} no longer exists.`,
      )
    mate.agent = member.agentType
    const agent = ports.agents.get(targetOf(spec, member.agentType) ?? member.agentType)
    if (agent === undefined) throw new CadreError('delegation', `agent ${member.agentType} no longer exists.`)
    const parallel = canChange(ports, agent)
    const wanted = { id: child, root: spec.root, agent, shared: sharedPlace(spec), parallel }
    return buildSessionSpec(ports, tree.limits, {
      id: child,
      agent,
      parent: { spec, call: team.call.id },
      place: () => isolateSession(ports, wanted, node.signal),
      completion: 'text',
      team: { name: team.name, member: name },
      work: { content: teammateWork(member, request, spec.agent.name) },
      model: member.model,
    })
  }

  async #requestOf({ call, input }: TeamState): Promise<TeamRequest | undefined> {
    const { spec, toolset } = this.#session
    const read = await readCall(call, spec, toolset)
    if (read.kind !== 'ready') return undefined
    const changed = input === undefined ? read : await readInput(read.judged, input)
    return changed.kind === 'ready' ? readTeam(changed.judged.tool, changed.judged.input) : undefined
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      const { node } = this.#session
      const done = () => {
        for (const unsubscribe of subscriptions) unsubscribe()
        this.#waiting.delete(done)
        resolve()
      }
      const subscriptions = [node.onStop(done), node.onMessage(done)]
      this.#waiting.add(done)
    })
  }

  #tellChange(): void {
    for (const done of [...this.#waiting]) done()
  }
}
