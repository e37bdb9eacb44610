import { existsSync } from 'node:fs'
import {
  type AgentDefinition,
  contextOf,
  type Handoff,
  nameKey,
  type RunResult,
  type StartRequest,
  type StoredSession,
  type Work,
} from '@cadre/core'
import type { Runtime } from '@cadre/runtime'
import { lastReport } from '../../run/last-report.ts'
import { refuseUnstarted } from '../../run/show-ending.ts'

export interface ConversationOptions {
  readonly runtime: Pick<Runtime, 'agents' | 'orchestrator' | 'read'>
  readonly workspace: string
  readonly agent: AgentDefinition
  readonly model?: string | undefined
  /** False: nobody in this conversation may delegate, whoever it goes on with. */
  readonly delegation: boolean
}

/** A handoff that was taken: to whom it goes, which need not be spelt as the handoff spells it. */
export interface TakenHandoff {
  readonly handoff: Handoff
  readonly to: AgentDefinition
  /** Whom the message after this one goes to, in a session of its own. Without it, this session goes on. */
  readonly next?: AgentDefinition
}

/**
 * What a person and agents say to each other, over as many sessions as it takes. One session holds all of it so far; a
 * message to the agent of that session continues it, a message to another agent starts a session that is given what was
 * said. The journals are the conversation: nothing of it is kept here alone.
 */
export class Conversation {
  /** Whom the next message goes to. */
  agent: AgentDefinition
  private readonly options: ConversationOptions
  private at: string | undefined
  private offered: readonly Handoff[] = []
  private model: string | undefined
  /** The model was chosen after the session at hand had been started with another. */
  private isModelNew = false
  /** The session at hand is for one message: when it has ended, the next message starts another session. */
  private isForOneMessage = false

  constructor(options: ConversationOptions) {
    this.options = options
    this.agent = options.agent
    this.model = options.model
  }

  /** The session that holds the conversation so far. */
  get session(): string | undefined {
    return this.at
  }

  /** The folder in which the agents work. */
  get workspace(): string {
    return this.options.workspace
  }

  /** What can be handed over now. Offered until a message is sent. */
  get handoffs(): readonly Handoff[] {
    return this.offered
  }

  chooseModel(name: string): void {
    this.model = name
    this.isModelNew = true
  }

  /** Goes on with a conversation that is there already. */
  takeUp(stored: StoredSession): void {
    this.at = stored.spec.id
    this.agent = stored.spec.agent
    this.offered = lastReport(stored)?.handoffs ?? []
    this.isModelNew = this.model !== undefined
    this.isForOneMessage = false
  }

  /** The next message begins another conversation. */
  forget(): void {
    this.at = undefined
    this.offered = []
  }

  /** Rejects when nothing could be sent; the conversation is then where it was. */
  async say(work: Work, signal: AbortSignal, taken?: TakenHandoff): Promise<RunResult> {
    const { orchestrator, read } = this.options.runtime
    const stored = this.at === undefined ? undefined : await read(this.at)
    // A new session has the definition as it is now; one that goes on keeps its own.
    const now = this.options.runtime.agents.get(this.agent.name) ?? this.agent
    const isOver = this.isForOneMessage && stored?.outcome !== undefined
    const goesOn = stored !== undefined && taken === undefined && !isOver
    const to = taken?.to ?? (goesOn ? this.agent : now)
    const delegation = this.mayDelegate(stored)
    if (goesOn && isSame(stored.spec.agent, to)) {
      // What a person stopped stays stopped when they say something else.
      const openCalls = stored.outcome === 'cancelled' ? 'leave' : 'continue'
      return this.adopt(
        await orchestrator.resume(stored.spec.id, { work, openCalls, ...this.changes(delegation) }, signal),
      )
    }
    const history = stored && contextOf(stored, taken?.handoff.context)
    const model = taken?.handoff.model ?? this.model
    const result = await orchestrator.start(
      {
        agent: to,
        work,
        ...(stored === undefined ? { workspace: this.options.workspace } : placeOf(stored)),
        delegation,
        ...(history !== undefined && history.length > 0 && { history }),
        ...(model !== undefined && { model }),
      },
      signal,
    )
    this.adopt(result)
    this.agent = taken?.next ?? to
    this.isForOneMessage = taken?.next !== undefined
    this.isModelNew = false
    return result
  }

  /** Continues the session at hand where it was stopped. */
  async goOn(signal: AbortSignal): Promise<RunResult> {
    const id = this.at
    if (id === undefined) throw new Error('unreachable: there is nothing to continue')
    const { orchestrator, read } = this.options.runtime
    const changes = this.changes(this.mayDelegate(await read(id)))
    return this.adopt(await orchestrator.resume(id, changes, signal))
  }

  private mayDelegate(stored: StoredSession | undefined): boolean {
    return this.options.delegation && stored?.spec.delegation !== false
  }

  private changes(delegation: boolean) {
    return {
      ...(this.isModelNew && this.model !== undefined && { model: this.model }),
      ...(!delegation && { delegation }),
    }
  }

  private adopt(result: RunResult): RunResult {
    if (result.kind === 'report') refuseUnstarted(result.report)
    this.at = result.kind === 'report' ? result.report.session : result.session
    this.offered = (result.kind === 'report' && result.report.handoffs) || []
    return result
  }
}

function isSame(a: AgentDefinition, b: AgentDefinition): boolean {
  return nameKey(a.name) === nameKey(b.name)
}

/** Where whoever takes over works: where the one before did. A workspace in which nothing was changed is gone by then. */
function placeOf({ spec }: StoredSession): Pick<StartRequest, 'workspace' | 'isolation'> {
  const { workspace, isolation } = spec
  if (isolation?.kind === 'own' && !existsSync(workspace)) return { workspace: isolation.base }
  return { workspace, ...(isolation && { isolation }) }
}
