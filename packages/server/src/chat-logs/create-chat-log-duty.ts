/**
 * Owns the conversations in the home's `agents/*.agent.md`. Messages at the end of a log are sent to the session `<log>-chat`, and its
 * answers are written to the log. The daemon calls one method at a time; sessions that end are handled with the next call.
 *
 * 1. The log and the session contain all state. The id of a message is derived from its entry, so the session receives it once. An answer
 *    is written only while its message is the last one, in one change of the file.
 * 2. An answer is written completely, when the session has ended. Messages that a person adds in the meantime stay below it, unanswered.
 * 3. Text of a log is sent only to its own session. It cannot name a file, and grants no tool that a template does not grant.
 */
import path from 'node:path'
import type { Problem } from '@cadre/channels'
import {
  type AgentDefinition,
  allowedTargets,
  CadreError,
  type Entry,
  type StoredSession,
  sentenceOf,
} from '@cadre/core'
import { namesIn, type RawText } from '@cadre/disk'
import { editFile, readPlainFile, withLock } from '@cadre/home'
import { type ChatLog, createSessionFromChatLog, logEntriesOf, readChatLog } from '@cadre/journal'
import type { DaemonContext } from '../daemon-context.ts'
import type { Duty } from '../duty.ts'
import type { SessionStart } from '../session-keeper.ts'
import { insertAnswer } from './insert-answer.ts'
import { idPrefix, type PendingMessage, pendingMessages } from './pending-messages.ts'

const folder = 'agents'
const ending = '.agent.md'
const about = 'chat-logs'
/** Sessions in other processes do not notify this one when they end, so they are checked at this interval. */
const recheckMs = 5_000

export function createChatLogDuty(context: DaemonContext): Duty {
  const { home, sessions, problems, note, clock, engine } = context
  /** Messages that this process has sent, by log. A refused message is not sent again until the file changes. */
  const brought = new Map<string, Set<string>>()
  /** Logs whose sessions have ended or been suspended, or are due for another check. */
  const rested = new Set<string>()
  const elsewhere = new Map<string, number>()
  let stopListening = () => {}

  return {
    name: about,
    folders: [folder],
    async start() {
      // `start` is called again after the home was not writable.
      stopListening()
      stopListening = sessions.onRest((session) => {
        if (session.endsWith('-chat')) rested.add(session.slice(0, -'-chat'.length))
      })
      await combineHandlers(logsIn(home.at(folder)))
    },
    async changed(files) {
      const names = files.flatMap((file) =>
        path.posix.dirname(file) === folder ? nameOf(path.posix.basename(file)) : [],
      )
      for (const name of names) brought.delete(name)
      await combineHandlers(names)
    },
    async tick(now) {
      for (const [name, at] of elsewhere) if (now >= at || at - now > recheckMs) rested.add(name)
      const names = [...rested]
      rested.clear()
      await combineHandlers(names)
    },
    async stop() {
      stopListening()
    },
  }

  /** A failure of one log does not affect the others. */
  async function combineHandlers(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const file = fileOf(name)
      try {
        problems.report(about, file, await attend(name))
      } catch (error) {
        problems.report(about, file, [fault(`Cannot process this chat log: ${sentenceOf(error)}`)])
      }
    }
  }

  async function attend(name: string): Promise<Found[]> {
    elsewhere.delete(name)
    const raw = readPlainFile(home.at(folder, name + ending))
    if (raw === undefined) return []
    const read = readChatLog(raw)
    if (read.kind === 'other')
      return read.isAgentFile
        ? []
        : [warning(`This is not a chat log: ${read.reason}. Cadre does not answer messages in it.`)]
    const found: Found[] = read.problems.map(({ line, message }) => ({ line, severity: 'warning', message }))
    const pending = pendingMessages(name, read.placed)
    if (pending.length === 0) return found
    return [...found, ...(await converse({ name, log: read.log, pending }))]
  }

  async function converse(talk: LogConversation): Promise<Found[]> {
    const { name, pending } = talk
    const session = `${name}-chat`
    if ((await engine.read(session)) === undefined) {
      if (sessions.isRemote) {
        await tell(name, pending, startOf(talk))
        return []
      }
      begin(talk, session)
    }
    // Before the record is read, so that the record is at least as new.
    const state = await sessions.state(session)
    const stored = await engine.read(session)
    if (stored === undefined) throw new CadreError('not_found', `there is no session ${session}.`)
    if (state.kind === 'broken') return [fault(`This chat log's session is damaged: ${state.message}`)]
    if (!isFromLog(stored, name))
      return [
        fault(
          `Session ${session} exists and does not belong to this chat log. Rename the chat log or the session.`,
        ),
      ]
    if (state.kind === 'elsewhere') elsewhere.set(name, clock.now() + recheckMs)
    // Write pending answers before sending new messages.
    if (state.kind === 'ended' && hasCompleteAnswer(stored) && (await answer(name, stored, pending)))
      return attend(name)
    const heard = messagesIn(stored)
    const unheard = pending.filter(({ id }) => !heard.has(id))
    const isTold = await tell(name, unheard)
    if (isTold || state.kind !== 'ended') return []
    const what =
      unheard.length > 0 ? 'did not accept this message' : `ended (${state.outcome}) without an answer`
    const reason = state.reason ? `: ${state.reason.replace(/\.$/, '')}` : ''
    const line = pending.at(-1)?.placed.line ?? 1
    const message = `Session ${session} ${what}${reason}. Write again, or inspect it with "cadre sessions show ${session}".`
    return [{ severity: 'error', line, message }]
  }

  async function tell(
    name: string,
    messages: readonly PendingMessage[],
    start?: SessionStart,
  ): Promise<boolean> {
    const session = `${name}-chat`
    const known = brought.get(name) ?? new Set()
    brought.set(name, known)
    let isTold = false
    for (const { id, content } of messages) {
      if (known.has(id)) continue
      // Delivered, but not in the conversation: a hook refused it.
      const isRefused = (await sessions.delivery(session, id)) === 'delivered'
      const said = isRefused ? 'queued' : await sessions.tell(session, { content, message: id }, start)
      if (said === 'missing') throw new CadreError('not_found', `there is no session ${session}.`)
      known.add(id)
      isTold ||= !isRefused
    }
    return isTold
  }

  function agentOf({ name, log }: LogConversation): AgentDefinition | undefined {
    const agent = context.agents.get(log.agent) ?? context.agents.get(name)
    if (agent?.userInvocable !== false) return agent
    throw new CadreError('usage', `users cannot start ${agent.name}: its file sets user-invocable to false.`)
  }

  /** The session of a new log, for a worker. It sees the messages before the pending ones, without the calls. */
  function startOf(talk: LogConversation): SessionStart {
    const history = entriesBefore(talk.log).flatMap((entry) =>
      entry.role === 'user' || entry.role === 'assistant'
        ? [{ role: entry.role, content: entry.content }]
        : [],
    )
    return { agent: agentOf(talk)?.name ?? talk.log.agent, ...(history.length > 0 && { history }) }
  }

  /** Creates the session of a new log, with the conversation before the pending messages. */
  function begin(talk: LogConversation, session: string): void {
    const { name, log } = talk
    const agent = agentOf(talk)
    if (agent === undefined && log.systemPrompt.trim() === '')
      throw new CadreError(
        'not_found',
        `there is no agent ${JSON.stringify(log.agent)}, and the log has no system prompt. Add the template templates/${name}.agent.yaml, or text below "## System Prompt".`,
      )
    const targets = agent === undefined ? [] : allowedTargets(agent, context.agents.list(), true)
    const entries = entriesBefore(log)
    const made = createSessionFromChatLog({
      home,
      id: session,
      log: { ...log, entries },
      from: fileOf(name),
      agent,
      targets: targets.flatMap((target) => (target.name === agent?.name ? [] : [target.name])),
      workspace: context.workspace,
      now: new Date(clock.now()).toISOString(),
    })
    if (made === 'exists') return
    const message = `${fileOf(name)} continues as session ${session}`
    note({ type: 'log.imported', message, session, agent: agent?.name ?? log.agent, entries: entries.length })
  }

  /** Writes what the session has replied since the first of these messages. Returns false if there is nothing to write. */
  async function answer(
    name: string,
    stored: StoredSession,
    pending: readonly PendingMessage[],
  ): Promise<boolean> {
    const heard = messagesIn(stored)
    const first = pending.find(({ id }) => heard.has(id))
    const from = stored.entries.findIndex((entry) => entry.role === 'user' && entry.message === first?.id)
    if (first === undefined || from < 0) return false
    // The last delivered message must have an answer, because everything above an answer in the log counts as answered.
    if (lastDelivered(stored, pending) > stored.entries.findLastIndex(({ role }) => role === 'assistant'))
      return false
    const said = logEntriesOf(stored.entries.slice(from)).filter(({ role }) => role !== 'user')
    const edit = (raw: RawText | undefined) =>
      insertAnswer(raw, { log: name, answeredIds: heard, answer: said })
    const isWritten = await withLock(home, 'chat-logs', () => editFile(home.at(folder, name + ending), edit))
    if (isWritten)
      note({
        type: 'log.answered',
        message: `${stored.spec.agent.name} answered in ${fileOf(name)}`,
        session: stored.spec.id,
        agent: stored.spec.agent.name,
        entries: said.length,
      })
    return isWritten
  }
}

type Found = Omit<Problem, 'file'>

interface LogConversation {
  readonly name: string
  readonly log: ChatLog
  readonly pending: readonly PendingMessage[]
}

/** True if the session ended with a complete answer. A failed or stopped session may continue. */
function hasCompleteAnswer({ outcome }: StoredSession): boolean {
  return outcome === 'completed' || outcome === 'incomplete'
}

function lastDelivered({ entries }: StoredSession, pending: readonly PendingMessage[]): number {
  return entries.findLastIndex(
    (entry) => entry.role === 'user' && pending.some(({ id }) => id === entry.message),
  )
}

/** Returns whether the session began with this log. Messages of the log go to no other session. */
function isFromLog({ entries, spec }: StoredSession, name: string): boolean {
  if (spec.work.message?.startsWith(idPrefix(name))) return true
  return entries.some(
    (entry) => entry.role === 'event' && entry.type === 'log.imported' && entry['from'] === fileOf(name),
  )
}

function messagesIn({ entries }: { readonly entries: readonly Entry[] }): ReadonlySet<string> {
  return new Set(
    entries.flatMap((entry) => (entry.role === 'user' && entry.message !== undefined ? [entry.message] : [])),
  )
}

/** The history: without the user entries at the end, which are sent as messages. */
function entriesBefore({ entries }: ChatLog): ChatLog['entries'] {
  return entries.slice(0, entries.findLastIndex(({ role }) => role !== 'user') + 1)
}

function fileOf(name: string): string {
  return `${folder}/${name}${ending}`
}

function nameOf(file: string): string[] {
  const name = file.endsWith(ending) ? file.slice(0, -ending.length) : ''
  return name === '' || name.startsWith('.') ? [] : [name]
}

/** Empty in a home without such logs. */
function logsIn(place: string): string[] {
  return namesIn(place).toSorted().flatMap(nameOf)
}

function fault(message: string): Found {
  return { severity: 'error', message }
}

function warning(message: string): Found {
  return { severity: 'warning', message }
}
