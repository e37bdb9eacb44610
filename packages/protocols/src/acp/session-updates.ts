/**
 * Turns an editor session's events into updates, both live and when a session is loaded.
 *
 * 1. Every call has one card, `SESSION/CALL`, because models reuse call ids, and the editor's session also shows children.
 * 2. A child appears on the delegation's card in the editor's session, with its progress. If the editor declares `subagents`, the child is
 *    announced on its parent before any update with its id, and has its own updates.
 * 3. Children's texts are never part of the entry agent's answer.
 * 4. A card that is open when its session ends is closed.
 */
import {
  type CadreEvent,
  fencedText,
  type Notice,
  type Report,
  type Usage,
  workWithoutHeadings,
} from '@cadre/core'
import { shownLine } from '@cadre/gate'
import type { DocumentChange } from '@cadre/tools'
import type { SessionUpdate, ToolCallContent } from './acp-types.ts'
import { CadreMessages } from './cadre-messages.ts'
import { callContent, maxContent, textContent } from './card-content.ts'
import { type CallCard, describeCall } from './describe-call.ts'
import type { Editor } from './editor.ts'
import { limitJson, parseInput, truncateText } from './limit-json.ts'
import type { ReplayedContent } from './replayed-content.ts'
import { type KnownSession, SessionTree } from './session-tree.ts'
import { endState, type SubagentState, subagentStart } from './subagent-update.ts'
import { UsageUpdates } from './usage-updates.ts'

export interface UpdatesOptions {
  readonly editor: Pick<Editor, 'capabilities' | 'update'>
  /** The editor's session. */
  readonly sessionId: string
  readonly workspace: string
  /** The content that remains in a command's card after its output was shown live. */
  readonly endOfCommand: (toolCallId: string, content: string) => readonly ToolCallContent[]
  /** The size of a model's context window, if it is known. */
  readonly windowOf: (model: string) => number | undefined
}

interface KnownCall {
  readonly card: CallCard
  readonly name: string
  input: string
  /** Set for a delegation that runs in the background. */
  background?: true
  readonly changes: DocumentChange[]
}

const maxSteps = 12

type CallUpdate = Omit<Extract<SessionUpdate, { sessionUpdate: 'tool_call_update' }>, 'sessionUpdate'>

export class SessionUpdates {
  readonly #options: UpdatesOptions
  readonly #tree: SessionTree
  readonly #texts: CadreMessages
  readonly #usage: UsageUpdates
  readonly #calls = new Map<string, KnownCall>()
  /** How much of each session's last text was sent. */
  readonly #sent = new Map<string, { readonly round: number; length: number }>()
  #isReplay = false
  #replayed: ReplayedContent | undefined

  constructor(options: UpdatesOptions) {
    this.#options = options
    const { editor, sessionId } = options
    this.#tree = new SessionTree(sessionId, editor)
    this.#texts = new CadreMessages(editor, sessionId)
    this.#usage = new UsageUpdates(options)
  }

  /** Sends earlier events, including people's messages. */
  replay(events: readonly CadreEvent[], contents?: ReplayedContent): void {
    this.#isReplay = true
    this.#replayed = contents
    try {
      for (const event of events) this.take(event)
    } finally {
      this.#isReplay = false
      this.#replayed = undefined
    }
  }

  /** The model whose usage has not been sent to the editor yet. */
  get unsentModel(): string | undefined {
    return this.#usage.unsentModel
  }

  take(event: CadreEvent): void {
    if (event.type === 'session.started') {
      this.#started(event)
      return
    }
    const session = this.#tree.get(event.session)
    if (session === undefined) return
    switch (event.type) {
      case 'session.queued':
        this.#step(session, 'waiting for a free slot')
        return
      case 'text.added':
        this.#text(session, event.round, event.text)
        return
      case 'reply.delayed':
        if (session.parent === undefined) this.#texts.think(event.reason)
        else this.#step(session, event.ms === undefined ? event.reason : `waiting: ${event.reason}`)
        return
      case 'reply.received':
        this.#replied(session, event)
        return
      case 'message.added':
        if (this.#isReplay && event.from === 'terminal-user') this.#userMessage(session, event.text)
        return
      case 'call.judged':
        this.#judged(session, event)
        return
      case 'call.started':
        this.#updateCall(session, event.call, { status: 'in_progress' })
        return
      case 'call.progressed':
        this.#updateCall(session, event.call, {
          content: [{ type: 'content', content: { type: 'text', text: shownLine(event.text, 200) } }],
        })
        return
      case 'call.settled':
        this.#settled(session, event)
        return
      case 'person.asked':
        this.#state(session, { state: 'requires_action' })
        this.#step(session, 'waiting for a decision')
        return
      case 'person.answered':
        this.#state(session, { state: 'running' })
        return
      case 'context.compacted':
        this.#compacted(session, event.summary, event.seq)
        return
      case 'notice.added':
        this.notice(event.notice, session.id)
        return
      case 'session.suspended':
        this.#state(session, { state: 'requires_action' })
        return
      case 'session.ended':
        this.#ended(session, event.report)
        return
      default:
        return
    }
  }

  /** Keeps the change of a call for its card. */
  changed(change: DocumentChange): void {
    this.#calls.get(idOf(change.context.session, change.context.call))?.changes.push(change)
  }

  /** The id of a call's card, and the editor session that contains it. */
  cardOf(session: string, call: string): { readonly sessionId: string; readonly toolCallId: string } {
    return { sessionId: this.#tree.addressOf(session), toolCallId: idOf(session, call) }
  }

  describe(session: string, call: string): CallCard | undefined {
    return this.#calls.get(idOf(session, call))?.card
  }

  /** True if the editor shows this session, because it belongs to a tree that the editor follows. */
  has(session: string): boolean {
    return this.#tree.get(session) !== undefined
  }

  /** The chain of agents, from the entry agent to this session: `lead › reviewer`. */
  chainOf(session: string): string {
    return this.#tree.chainOf(session)
  }

  /** Cadre's own sentence for the person. Every editor receives important ones as text. */
  notice(notice: Notice, session?: string): void {
    const isChild = session !== undefined && this.#tree.isChild(session)
    this.#texts.notice(notice, isChild ? `${this.chainOf(session)}: ` : '')
  }

  /** Cadre's own text in the answer. */
  say(text: string): void {
    this.#texts.say(text)
  }

  get usage(): Usage {
    return this.#usage.total
  }

  /** Sends how full the context window is, if that has changed and the size of the window is known. */
  sendUsage(): void {
    this.#usage.send()
  }

  #started(event: Extract<CadreEvent, { type: 'session.started' }>): void {
    const known = this.#tree.get(event.session)
    const session: KnownSession = known ?? {
      id: event.session,
      agent: event.agent,
      ...(event.parent && { parent: event.parent }),
      steps: [],
      open: new Set(),
      model: event.model,
    }
    session.model = event.model
    this.#tree.add(session)
    if (known === undefined && session.parent !== undefined) this.#announce(session, event.work)
    if (this.#isReplay && known === undefined && session.parent === undefined)
      this.#userMessage(session, event.work)
    // The journal can contain calls that this editor does not know yet, and Cadre asks about them.
    for (const { id, name, input } of event.open ?? []) this.#addCall(session, { id, name, input })
    if (session.parent !== undefined) this.#step(session, event.resumed ? 'continuing' : 'starting')
  }

  #announce(session: KnownSession, work: string): void {
    const { parent } = session
    if (parent === undefined) return
    if (!this.#tree.isShown) {
      this.#updateCall(this.#tree.get(parent.session), parent.call, {
        title: shownLine(`${session.agent}: ${workWithoutHeadings(work)}`, 300),
        status: 'in_progress',
        _meta: { 'cadre/child': session.id },
      })
      return
    }
    this.#send(this.#tree.addressOf(parent.session), subagentStart(session, work))
  }

  #userMessage(session: KnownSession, text: string): void {
    if (this.#tree.isChild(session.id)) return
    this.#send(this.#options.sessionId, {
      sessionUpdate: 'user_message_chunk',
      content: { type: 'text', text },
    })
  }

  #text(session: KnownSession, round: number, text: string): void {
    if (text === '' || !this.#tree.showsTexts(session.id)) return
    const before = this.#sent.get(session.id)
    const isSame = before?.round === round
    this.#sent.set(session.id, { round, length: (isSame ? before.length : 0) + text.length })
    this.#send(this.#tree.addressOf(session.id), {
      sessionUpdate: 'agent_message_chunk',
      messageId: `${session.id}/${round}`,
      content: { type: 'text', text },
    })
  }

  #replied(session: KnownSession, event: Extract<CadreEvent, { type: 'reply.received' }>): void {
    const before = this.#sent.get(session.id)
    // Pieces may have been dropped; the received text is complete.
    this.#text(session, event.round, event.text.slice(before?.round === event.round ? before.length : 0))
    if (event.usage !== undefined) this.#spent(session, event.usage)
    for (const call of event.calls) this.#addCall(session, call)
  }

  #spent(session: KnownSession, usage: Usage): void {
    this.#usage.add(usage)
    if (!this.#tree.isChild(session.id)) this.#usage.requested(session.model, usage, this.#isReplay)
  }

  #addCall(
    session: KnownSession,
    { id, name, input }: { readonly id: string; readonly name: string; readonly input: string },
  ): void {
    const key = idOf(session.id, id)
    if (this.#calls.has(key)) return
    const card = describeCall(name, input, this.#options)
    this.#calls.set(key, { card, name, input, changes: [] })
    if (card.isHidden) return
    session.open.add(id)
    this.#step(session, card.title)
    const { parent } = session
    this.#send(this.#tree.addressOf(session.id), {
      sessionUpdate: 'tool_call',
      toolCallId: key,
      title: this.#tree.titleOf(session.id, card.title),
      name,
      kind: card.kind,
      status: 'pending',
      locations: [...card.locations],
      rawInput: limitJson(parseInput(input)),
      ...(!this.#tree.isShown &&
        parent && {
          _meta: { 'cadre/session': session.id, 'cadre/parentCall': idOf(parent.session, parent.call) },
        }),
    })
  }

  /** A hook may have changed the arguments. */
  #judged(session: KnownSession, event: Extract<CadreEvent, { type: 'call.judged' }>): void {
    const call = this.#calls.get(idOf(session.id, event.call))
    if (call === undefined || call.input === event.input) return
    const isSame = JSON.stringify(parseInput(call.input)) === JSON.stringify(parseInput(event.input))
    call.input = event.input
    if (isSame) return
    const card = describeCall(event.tool, event.input, this.#options)
    this.#updateCall(session, event.call, {
      title: this.#tree.titleOf(session.id, card.title),
      locations: [...card.locations],
      rawInput: limitJson(parseInput(event.input)),
    })
  }

  #settled(session: KnownSession, event: Extract<CadreEvent, { type: 'call.settled' }>): void {
    const call = this.#calls.get(idOf(session.id, event.call))
    if (call === undefined) return
    if (event.background) {
      call.background = true
      return
    }
    const isDone = event.outcome === 'done'
    session.open.delete(event.call)
    if (!isDone) this.#step(session, `${call.card.title}: ${event.outcome}`)
    this.#updateCall(session, event.call, {
      status: isDone ? 'completed' : 'failed',
      content: [
        ...this.#options.endOfCommand(idOf(session.id, event.call), event.content),
        ...(this.#replayed?.get(idOf(session.id, event.call)) ?? callContent(call, event.content, isDone)),
      ],
      rawOutput: limitJson({ outcome: event.outcome, content: event.content }),
    })
    // Whole texts of files are not kept.
    call.changes.length = 0
    call.input = ''
  }

  #compacted(session: KnownSession, summary: string, seq: number): void {
    if (this.#options.editor.capabilities.session?.compaction)
      this.#send(this.#tree.addressOf(session.id), {
        sessionUpdate: 'compaction_update',
        compactionId: `${session.id}/${seq}`,
        status: 'completed',
        summary: [{ type: 'text', text: truncateText(summary, maxContent) }],
      })
    else if (!this.#tree.isChild(session.id))
      this.#texts.think('Cadre summarised older messages in this session.')
  }

  #ended(session: KnownSession, report: Report): void {
    for (const call of session.open)
      this.#updateCall(session, call, {
        status: 'failed',
        content: [textContent(fencedText('The call was stopped before it had a result.'))],
      })
    session.open.clear()
    for (const notice of report.notices ?? []) if (!this.#isReplay) this.notice(notice, session.id)
    const { parent } = session
    if (parent === undefined) return
    const call = this.#calls.get(idOf(parent.session, parent.call))
    if (call?.background) {
      delete call.background
      this.#tree.get(parent.session)?.open.delete(parent.call)
      this.#updateCall(this.#tree.get(parent.session), parent.call, {
        status: report.status === 'completed' ? 'completed' : 'failed',
        content: [textContent(truncateText(report.text, maxContent))],
      })
    }
    this.#state(session, endState(report))
  }

  /** Reports what a child is doing: in its card, if the editor does not follow children. */
  #step(session: KnownSession, text: string): void {
    const { parent, steps } = session
    if (parent === undefined || this.#tree.isShown || this.#isReplay) return
    steps.push(shownLine(text, 200))
    if (steps.length > maxSteps) steps.splice(0, steps.length - maxSteps)
    const above = this.#tree.get(parent.session)
    if (above === undefined || !above.open.has(parent.call)) return
    this.#updateCall(above, parent.call, { content: [textContent(fencedText(steps.join('\n')))] })
  }

  #state(session: KnownSession, state: SubagentState): void {
    if (!this.#tree.isShown || session.parent === undefined) return
    this.#send(this.#tree.addressOf(session.parent.session), {
      sessionUpdate: 'subagent_update',
      sessionId: session.id,
      state,
    })
  }

  #updateCall(session: KnownSession | undefined, call: string, update: Omit<CallUpdate, 'toolCallId'>): void {
    if (session === undefined) return
    const known = this.#calls.get(idOf(session.id, call))
    if (known === undefined || known.card.isHidden) return
    this.#send(this.#tree.addressOf(session.id), {
      sessionUpdate: 'tool_call_update',
      toolCallId: idOf(session.id, call),
      ...update,
    })
  }

  #send(sessionId: string, update: SessionUpdate): void {
    this.#options.editor.update(sessionId, update)
  }
}

function idOf(session: string, call: string): string {
  return `${session}/${call}`
}
