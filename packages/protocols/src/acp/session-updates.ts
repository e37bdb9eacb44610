/**
 * Turns the events of one session of an editor into its updates, live and when a session is loaded.
 *
 * 1. Every call has one card, `SESSION/CALL`: models repeat their call ids, and children are shown on the session of the editor.
 * 2. A child is a card on the editor's session: that of the delegation, with its progress. If the editor declares `subagents`, the child is
 *    announced on its parent before anything that bears its id, and has its own updates.
 * 3. Texts of children are never part of the entry agent's answer.
 * 4. A card that is open when its session ends is closed.
 */
import {
  addUsage,
  type CadreEvent,
  type Notice,
  noUsage,
  type Report,
  type Usage,
  workWithoutHeadings,
} from '@cadre/core'
import { shownLine } from '@cadre/gate'
import type { DocumentChange } from '@cadre/tools'
import type { SessionUpdate, ToolCallContent } from './acp-types.ts'
import { capJson, cutText, parseInput } from './cap-json.ts'
import { contentOfCall, fenced, maxContent, textContent } from './card-content.ts'
import { type CallCard, describeCall } from './describe-call.ts'
import type { Editor } from './editor.ts'
import { stopReasonOf } from './stop-reason.ts'

export interface UpdatesOptions {
  readonly editor: Pick<Editor, 'capabilities' | 'update'>
  /** The session of the editor. */
  readonly sessionId: string
  readonly workspace: string
  /** What stays in the card of a command whose output was shown while it ran. */
  readonly endOfCommand: (toolCallId: string, content: string) => readonly ToolCallContent[]
  /** The size of a model's context window, if it is known. */
  readonly windowOf: (model: string) => number | undefined
}

interface KnownSession {
  readonly id: string
  readonly agent: string
  readonly parent?: { readonly session: string; readonly call: string }
  /** The last steps, for the card of the delegation. */
  readonly steps: string[]
  /** Calls without a result. */
  readonly open: Set<string>
  model: string
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
  readonly #sessions = new Map<string, KnownSession>()
  readonly #calls = new Map<string, KnownCall>()
  readonly #noticed = new Set<string>()
  /** How much of the last text of each session was sent. */
  readonly #sent = new Map<string, { readonly round: number; length: number }>()
  #usage: Usage = noUsage
  /** The last request, if the editor has not been told about it. */
  #unsent: { readonly model: string; readonly used: number } | undefined
  #isReplay = false

  constructor(options: UpdatesOptions) {
    this.#options = options
  }

  /** Sends what happened earlier. What people wrote is part of it. */
  replay(events: readonly CadreEvent[]): void {
    this.#isReplay = true
    try {
      for (const event of events) this.take(event)
    } finally {
      this.#isReplay = false
    }
  }

  take(event: CadreEvent): void {
    if (event.type === 'session.started') {
      this.#started(event)
      return
    }
    const session = this.#sessions.get(event.session)
    if (session === undefined) return
    switch (event.type) {
      case 'session.queued':
        this.#step(session, 'waiting for a free slot')
        return
      case 'text.added':
        this.#text(session, event.round, event.text)
        return
      case 'reply.delayed':
        this.#step(session, `waiting: ${event.reason}`)
        return
      case 'reply.received':
        this.#replied(session, event)
        return
      case 'message.added':
        if (this.#isReplay && event.from === 'person') this.#userMessage(session, event.text)
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

  /** The id of a call's card, and the session of the editor that has it. */
  cardOf(session: string, call: string): { readonly sessionId: string; readonly toolCallId: string } {
    return { sessionId: this.#addressOf(session), toolCallId: idOf(session, call) }
  }

  describe(session: string, call: string): CallCard | undefined {
    return this.#calls.get(idOf(session, call))?.card
  }

  /** True if the editor shows this session: one of a tree that it follows. */
  has(session: string): boolean {
    return this.#sessions.has(session)
  }

  /** The agents from the entry agent down to this session: `lead › reviewer`. */
  chainOf(session: string): string {
    const names: string[] = []
    for (
      let at = this.#sessions.get(session);
      at !== undefined;
      at = this.#sessions.get(at.parent?.session ?? '')
    ) {
      names.unshift(shownLine(at.agent, 80))
      if (names.length > 50) break
    }
    return names.join(' › ')
  }

  /** A sentence of Cadre for the person. Important ones reach every editor as text. */
  notice({ code, message }: Notice, session?: string): void {
    const chain = session === undefined || !this.#isChild(session) ? '' : `${this.chainOf(session)}: `
    const text = `${chain}${message}`
    if (this.#noticed.has(text)) return
    this.#noticed.add(text)
    const severity = /error|failed|untrusted|corrupt/.test(code) ? 'warning' : 'info'
    if (this.#options.editor.capabilities.session?.notices) {
      const [title = '', ...rest] = text.split('\n')
      const description = rest.join('\n')
      this.#send(this.#options.sessionId, {
        sessionUpdate: 'notice',
        severity,
        title: cutText(title, 500),
        ...(description !== '' && { description: cutText(description, maxContent) }),
      })
    } else if (code === 'untrusted') this.say(`${text}\n\n`)
    else this.#thought(text)
  }

  /** A text of Cadre itself in the answer. */
  say(text: string): void {
    this.#send(this.#options.sessionId, {
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text },
    })
  }

  get usage(): Usage {
    return this.#usage
  }

  #started(event: Extract<CadreEvent, { type: 'session.started' }>): void {
    const known = this.#sessions.get(event.session)
    const session: KnownSession = known ?? {
      id: event.session,
      agent: event.agent,
      ...(event.parent && { parent: event.parent }),
      steps: [],
      open: new Set(),
      model: event.model,
    }
    session.model = event.model
    this.#sessions.set(event.session, session)
    if (known === undefined && session.parent !== undefined)
      this.#announce(session, workWithoutHeadings(event.work))
    if (this.#isReplay && known === undefined && session.parent === undefined)
      this.#userMessage(session, event.work)
    // The journal has calls that this editor may not know: it asks about them.
    for (const { id, name, input } of event.open ?? []) this.#addCall(session, { id, name, input })
    if (session.parent !== undefined) this.#step(session, event.resumed ? 'continuing' : 'starting')
  }

  #announce(session: KnownSession, work: string): void {
    const { parent } = session
    if (parent === undefined) return
    if (!this.#isTree) {
      this.#updateCall(this.#sessions.get(parent.session), parent.call, {
        title: shownLine(`${session.agent}: ${work}`, 300),
        status: 'in_progress',
        _meta: { 'cadre/child': session.id },
      })
      return
    }
    this.#send(this.#addressOf(parent.session), {
      sessionUpdate: 'subagent_update',
      sessionId: session.id,
      title: shownLine(session.agent, 200),
      description: cutText(work, 2_000),
      capabilities: { cancel: {} },
      state: { state: 'running' },
    })
  }

  #userMessage(session: KnownSession, text: string): void {
    if (this.#isChild(session.id)) return
    this.#send(this.#options.sessionId, {
      sessionUpdate: 'user_message_chunk',
      content: { type: 'text', text },
    })
  }

  #text(session: KnownSession, round: number, text: string): void {
    if (text === '' || !this.#showsTexts(session)) return
    const before = this.#sent.get(session.id)
    const isSame = before?.round === round
    this.#sent.set(session.id, { round, length: (isSame ? before.length : 0) + text.length })
    this.#send(this.#addressOf(session.id), {
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
    this.#usage = addUsage(this.#usage, usage)
    if (this.#isReplay || this.#isChild(session.id)) return
    this.#unsent = { model: session.model, used: usage.input + usage.output }
    this.sendUsage()
  }

  /** Sends how full the context window is, if that has changed and the size of the window is known. */
  sendUsage(): void {
    const size = this.#unsent && this.#options.windowOf(this.#unsent.model)
    if (this.#unsent === undefined || size === undefined) return
    const used = Math.min(this.#unsent.used, size)
    this.#unsent = undefined
    const { cost } = this.#usage
    this.#send(this.#options.sessionId, {
      sessionUpdate: 'usage_update',
      used,
      size,
      ...(cost !== undefined && { cost: { amount: cost, currency: 'USD' } }),
    })
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
    this.#send(this.#addressOf(session.id), {
      sessionUpdate: 'tool_call',
      toolCallId: key,
      title: this.#titleOf(session, card),
      name,
      kind: card.kind,
      status: 'pending',
      locations: [...card.locations],
      rawInput: capJson(parseInput(input)),
      ...(!this.#isTree &&
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
      title: this.#titleOf(session, card),
      locations: [...card.locations],
      rawInput: capJson(parseInput(event.input)),
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
        ...contentOfCall(call, event.content, isDone),
      ],
      rawOutput: capJson({ outcome: event.outcome, content: event.content }),
    })
    // Whole texts of files are not kept.
    call.changes.length = 0
    call.input = ''
  }

  #compacted(session: KnownSession, summary: string, seq: number): void {
    if (this.#options.editor.capabilities.session?.compaction)
      this.#send(this.#addressOf(session.id), {
        sessionUpdate: 'compaction_update',
        compactionId: `${session.id}/${seq}`,
        status: 'completed',
        summary: [{ type: 'text', text: cutText(summary, maxContent) }],
      })
    else if (!this.#isChild(session.id)) this.#thought('Cadre summarised older messages of this session.')
  }

  #ended(session: KnownSession, report: Report): void {
    for (const call of session.open)
      this.#updateCall(session, call, {
        status: 'failed',
        content: [textContent(fenced('Stopped before it had a result.'))],
      })
    session.open.clear()
    for (const notice of report.notices ?? []) if (!this.#isReplay) this.notice(notice, session.id)
    const { parent } = session
    if (parent === undefined) return
    const call = this.#calls.get(idOf(parent.session, parent.call))
    if (call?.background) {
      delete call.background
      this.#sessions.get(parent.session)?.open.delete(parent.call)
      this.#updateCall(this.#sessions.get(parent.session), parent.call, {
        status: report.status === 'completed' ? 'completed' : 'failed',
        content: [textContent(cutText(report.text, maxContent))],
      })
    }
    const reason = report.notices?.at(-1)?.message ?? 'The agent could not finish.'
    this.#state(
      session,
      report.status === 'error'
        ? { state: 'idle', stopReason: 'error', error: { code: -32603, message: reason } }
        : { state: 'idle', stopReason: stopReasonOf(report) },
    )
  }

  /** Reports what a child is doing: in its card, if the editor does not follow children. */
  #step(session: KnownSession, text: string): void {
    const { parent, steps } = session
    if (parent === undefined || this.#isTree || this.#isReplay) return
    steps.push(shownLine(text, 200))
    if (steps.length > maxSteps) steps.splice(0, steps.length - maxSteps)
    const above = this.#sessions.get(parent.session)
    if (above === undefined || !above.open.has(parent.call)) return
    this.#updateCall(above, parent.call, { content: [textContent(fenced(steps.join('\n')))] })
  }

  #state(
    session: KnownSession,
    state: NonNullable<Extract<SessionUpdate, { sessionUpdate: 'subagent_update' }>['state']>,
  ): void {
    if (!this.#isTree || session.parent === undefined) return
    this.#send(this.#addressOf(session.parent.session), {
      sessionUpdate: 'subagent_update',
      sessionId: session.id,
      state,
    })
  }

  #updateCall(session: KnownSession | undefined, call: string, update: Omit<CallUpdate, 'toolCallId'>): void {
    if (session === undefined) return
    const known = this.#calls.get(idOf(session.id, call))
    if (known === undefined || known.card.isHidden) return
    this.#send(this.#addressOf(session.id), {
      sessionUpdate: 'tool_call_update',
      toolCallId: idOf(session.id, call),
      ...update,
    })
  }

  #thought(text: string): void {
    this.#send(this.#options.sessionId, {
      sessionUpdate: 'agent_thought_chunk',
      content: { type: 'text', text: `${text}\n` },
    })
  }

  #titleOf(session: KnownSession, card: CallCard): string {
    return this.#isChild(session.id) && !this.#isTree
      ? `${shownLine(session.agent, 80)}: ${card.title}`
      : card.title
  }

  #showsTexts(session: KnownSession): boolean {
    return this.#isTree || !this.#isChild(session.id)
  }

  #isChild(session: string): boolean {
    return this.#sessions.get(session)?.parent !== undefined
  }

  get #isTree(): boolean {
    return this.#options.editor.capabilities.subagents != null
  }

  #addressOf(session: string): string {
    return this.#isTree && this.#isChild(session) ? session : this.#options.sessionId
  }

  #send(sessionId: string, update: SessionUpdate): void {
    this.#options.editor.update(sessionId, update)
  }
}

function idOf(session: string, call: string): string {
  return `${session}/${call}`
}
