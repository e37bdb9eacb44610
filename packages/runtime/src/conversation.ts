import { existsSync } from 'node:fs'
import {
  type AgentDefinition,
  type Handoff,
  handoffHistory,
  nameKey,
  type RunResult,
  type StartRequest,
  type StoredSession,
  type Work,
} from '@cadre/core'
import type { Runtime } from './create-runtime.ts'
import { lastReport } from './last-report.ts'
import { throwIfNotOpened } from './throw-if-not-opened.ts'

export interface ConversationOptions {
  readonly runtime: Pick<Runtime, 'agents' | 'orchestrator' | 'read'>
  readonly workspace: string
  readonly agent: AgentDefinition
  readonly model?: string | undefined
  /** False: no agent in this conversation may delegate. */
  readonly delegation: boolean
  /** Further options of each session that the conversation starts. */
  readonly startWith?: (agent: AgentDefinition) => Pick<StartRequest, 'id' | 'trace'>
}

/** An accepted handoff, with the resolved agent, whose spelling may differ. */
export interface AcceptedHandoff {
  readonly handoff: Handoff
  readonly to: AgentDefinition
  /** The agent for the next message, in a new session. Absent: this session continues. */
  readonly next?: AgentDefinition
}

/**
 * The messages between a person and agents, across any number of sessions. One session contains the whole conversation so
 * far: a message to its agent continues it, a message to another agent starts a session with the history. The journals are
 * the conversation; nothing is stored only here.
 */
export class Conversation {
  /** The agent for the next message. */
  agent: AgentDefinition
  private readonly options: ConversationOptions
  private at: string | undefined
  private offered: readonly Handoff[] = []
  private model: string | undefined
  /** The model was changed after the current session had started. */
  private isModelNew = false
  /** The current session is for one message: the next message starts another session. */
  private isForOneMessage = false
  /** The next message starts another session, with the history: what the current one was started with no longer applies. */
  private isOutdated = false

  constructor(options: ConversationOptions) {
    this.options = options
    this.agent = options.agent
    this.model = options.model
  }

  /** The session with the conversation so far. */
  get session(): string | undefined {
    return this.at
  }

  /** The folder in which the agents work. */
  get workspace(): string {
    return this.options.workspace
  }

  /** The available handoffs, until a message is sent. */
  get handoffs(): readonly Handoff[] {
    return this.offered
  }

  chooseModel(name: string): void {
    this.model = name
    this.isModelNew = true
  }

  /** Continues an existing conversation. */
  takeUp(stored: StoredSession): void {
    this.at = stored.spec.id
    this.agent = stored.spec.agent
    this.offered = lastReport(stored)?.handoffs ?? []
    this.isModelNew = this.model !== undefined
    this.isForOneMessage = false
  }

  /** The next message starts another session, with the history. For settings that a session keeps from its start. */
  startAnew(): void {
    this.isOutdated = true
  }

  /** The next message starts a new conversation. */
  forget(): void {
    this.at = undefined
    this.offered = []
  }

  /** Rejects if nothing could be sent; the conversation is then unchanged. */
  async say(work: Work, signal: AbortSignal, taken?: AcceptedHandoff): Promise<RunResult> {
    const { orchestrator, read } = this.options.runtime
    const stored = this.at === undefined ? undefined : await read(this.at)
    // A new session has the current definition; an existing one keeps its own.
    const now = this.options.runtime.agents.get(this.agent.name) ?? this.agent
    const isOver = this.isOutdated || (this.isForOneMessage && stored?.outcome !== undefined)
    const goesOn = stored !== undefined && taken === undefined && !isOver
    const to = taken?.to ?? (goesOn ? this.agent : now)
    const delegation = this.mayDelegate(stored)
    if (goesOn && isSameAgent(stored.spec.agent, to)) {
      // Calls that a person stopped stay stopped when they send another message.
      const openCalls = stored.outcome === 'cancelled' ? 'leave' : 'continue'
      return this.adopt(
        await orchestrator.resume(stored.spec.id, { work, openCalls, ...this.changes(delegation) }, signal),
      )
    }
    const history = stored && handoffHistory(stored, taken?.handoff.context)
    const model = taken?.handoff.model ?? this.model
    const result = await orchestrator.start(
      {
        ...this.options.startWith?.(to),
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
    this.isOutdated = false
    return result
  }

  /** Continues the current session where it stopped. */
  async continue(signal: AbortSignal): Promise<RunResult> {
    const id = this.at
    if (id === undefined) throw new Error('unreachable: there is no session to continue')
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
    if (result.kind === 'report') throwIfNotOpened(result.report)
    this.at = result.kind === 'report' ? result.report.session : result.session
    this.offered = (result.kind === 'report' && result.report.handoffs) || []
    return result
  }
}

function isSameAgent(a: AgentDefinition, b: AgentDefinition): boolean {
  return nameKey(a.name) === nameKey(b.name)
}

/** The next agent works in the same folder. An unchanged workspace is already deleted. */
function placeOf({ spec }: StoredSession): Pick<StartRequest, 'workspace' | 'isolation'> {
  const { workspace, isolation } = spec
  if (isolation?.kind === 'own' && !existsSync(workspace)) return { workspace: isolation.base }
  return { workspace, ...(isolation && { isolation }) }
}
