/**
 * Owns the approvals in Slack: posts them, accepts decisions of approvers, and closes them. Called only by
 * `createSlackChannel`.
 *
 * 1. An approval is posted once, across restarts and crashes: it is recorded before it is posted, and searched for if its
 *    result is unknown.
 * 2. A decision is valid only from a user in `approvers`, on the message that was posted for it, for an offered choice.
 * 3. Work on one approval is done in order; different approvals do not wait for each other.
 * 4. Failed posts and updates are retried, at intervals and at the next start.
 */
import { type Answer, CadreError, type JsonObject, sentenceOf } from '@cadre/core'
import { type ApprovalRecord, voteText } from '@cadre/gate'
import type { ChannelContext } from '../channel.ts'
import { approvalMessage, approvalTitle, settledMessage } from './approval-message.ts'
import { findSent } from './find-sent.ts'
import { postOnce } from './post-once.ts'
import type { PostedApprovals } from './posted-approvals.ts'
import { type ButtonClick, readButtonClick } from './read-button-click.ts'
import { respond } from './respond.ts'
import { explainReply, type SlackApi } from './slack-api.ts'
import type { SlackSettings } from './slack-settings.ts'

export interface SlackApprovalsOptions {
  readonly context: Pick<ChannelContext, 'approvals' | 'decide' | 'note' | 'problems' | 'voters'>
  readonly settings: Pick<SlackSettings, 'approvalsChannel' | 'approvers' | 'baseUrl'>
  readonly api: SlackApi
  readonly shown: PostedApprovals
  readonly pauseMs?: number | undefined
  readonly retryMs?: number | undefined
}

export interface SlackApprovals {
  /** Closes approvals that were decided while the daemon was stopped. */
  start(): Promise<void>
  asked(record: ApprovalRecord): Promise<void>
  settled(record: ApprovalRecord): Promise<void>
  pressed(payload: JsonObject): Promise<void>
  stop(): Promise<void>
}

const maxClicks = 1_000

export function createSlackApprovals(options: SlackApprovalsOptions): SlackApprovals {
  const { context, settings, api, shown, pauseMs, retryMs = 60_000 } = options
  const { approvalsChannel, approvers, baseUrl } = settings
  const stopped = new AbortController()
  const queues = new Map<string, Promise<void>>()
  const failures = new Map<string, { readonly message: string; readonly retry: () => Promise<void> }>()
  const presses = new Set<string>()
  const later = new Set<Promise<void>>()
  const retry = setInterval(() => {
    for (const [id, one] of failures) void inOrder(id, one.retry)
  }, retryMs).unref()

  return {
    async start() {
      const waiting = new Set((await context.approvals()).map(({ id }) => id))
      for (const id of shown.ids())
        if (!waiting.has(id)) after(inOrder(id, () => close(id, 'settled in the meantime')))
    },
    asked: (record) => inOrder(record.id, () => post(record)),
    settled: (record) => inOrder(record.id, () => close(record.id, outcomeOf(record))),
    async pressed(payload) {
      const press = readButtonClick(payload)
      if (press === undefined || presses.has(press.once)) return
      presses.add(press.once)
      if (presses.size > maxClicks) presses.delete(presses.values().next().value ?? '')
      const answer = await decide(press).catch((error: unknown) => {
        // It may be clicked again.
        presses.delete(press.once)
        return `Cannot record this decision: ${sentenceOf(error)}`
      })
      if (answer !== undefined) after(respond(press.responseUrl, answer, baseUrl))
    },
    async stop() {
      clearInterval(retry)
      stopped.abort()
      await Promise.allSettled([...queues.values(), ...later])
    },
  }

  async function post(record: ApprovalRecord): Promise<void> {
    const { id } = record
    if (approvalsChannel === undefined) return
    const message = approvalMessage(record, { buttons: approvers.size > 0 })
    const before = shown.get(id)
    if (before?.ts !== undefined) return
    const entry = {
      channel: approvalsChannel,
      choices: message.choices,
      title: approvalTitle(record),
      since: before?.since ?? Date.now(),
    }
    const key = `approval/${id}`
    const search = { channel: approvalsChannel, key, since: entry.since }
    const found = before === undefined ? undefined : await findSent(api, search, stopped.signal)
    if (found?.kind === 'found') return shown.set(id, { ...entry, ts: found.ts })
    shown.set(id, entry)
    const receipt = await postOnce(
      api,
      { channel: approvalsChannel, key, content: message.content, pauseMs },
      stopped.signal,
    )
    shown.set(id, { ...entry, channel: receipt.channel, ts: receipt.ts })
  }

  /** Resolves with a message for the person who clicked; undefined if the message itself shows the result. */
  async function decide(press: ButtonClick): Promise<string | undefined> {
    const { approval: id, choice, user, userName } = press
    if (!approvers.has(user)) {
      context.note({
        type: 'approval.refused',
        message: `${user} tried to decide ${id} in Slack but is not an approver.`,
        id,
      })
      return 'You are not allowed to decide approvals. Approvers are listed under channels.slack.approvers.'
    }
    const entry = shown.get(id)
    if (entry === undefined || entry.channel !== press.channel || entry.ts !== press.ts)
      return 'This approval is no longer pending.'
    if (!entry.choices.includes(choice)) return 'You cannot decide this in Slack.'
    const by = userName === '' ? `slack:${user}` : `${userName} (slack:${user})`
    const decided = await context.decide(id, { decision: choice, by }, context.voters.ofSlack(user))
    if (decided === 'unknown') {
      after(inOrder(id, () => close(id, 'no longer pending')))
      return 'This approval is no longer pending.'
    }
    if (decided.kind === 'voted') return voteText(decided.record)
    after(inOrder(id, () => close(id, describeAnswer(decided.answer))))
    if (decided.record.need !== undefined && decided.answer.decision === choice) return undefined
    return decided.answer.decision === choice && decided.answer.by === by
      ? undefined
      : `This approval was already decided: ${describeAnswer(decided.answer)}.`
  }

  /** Removes the buttons and shows the result. */
  async function close(id: string, outcome: string): Promise<void> {
    const entry = shown.get(id)
    if (entry === undefined) return
    const ts = entry.ts ?? (await lookFor(id, entry))
    if (ts !== undefined) {
      const fields = { channel: entry.channel, ts, ...settledMessage(id, outcome, entry.title) }
      const reply = await api.ask('chat.update', fields, stopped.signal)
      // A deleted message needs no update.
      const isGone = reply.kind === 'refused' && /^(message_not_found|channel_not_found)$/.test(reply.error)
      if (reply.kind !== 'ok' && !isGone) throw new CadreError('backend', explainReply(reply))
    }
    shown.remove(id)
  }

  async function lookFor(id: string, { channel, since }: { channel: string; since: number }) {
    const found = await findSent(api, { channel, since, key: `approval/${id}` }, stopped.signal)
    return found.kind === 'found' ? found.ts : undefined
  }

  function inOrder(id: string, work: () => Promise<void>): Promise<void> {
    const turn = (queues.get(id) ?? Promise.resolve()).then(async () => {
      try {
        if (stopped.signal.aborted) return
        await work()
        failures.delete(id)
      } catch (error) {
        failures.set(id, {
          message: `Cannot update ${id} in Slack. ${sentenceOf(error)}`,
          retry: work,
        })
      }
      report()
    })
    queues.set(id, turn)
    void turn.finally(() => {
      if (queues.get(id) === turn) queues.delete(id)
    })
    return turn
  }

  function report(): void {
    const problems = [...failures.values()].map(({ message }) => ({ severity: 'warning' as const, message }))
    context.problems.report('slack-approvals', '[slack]', problems)
  }

  /** Slack waits three seconds for an answer, so other work is done afterwards. */
  function after(work: Promise<void>): void {
    later.add(work)
    void work.finally(() => later.delete(work))
  }
}

function outcomeOf({ status, decision }: ApprovalRecord): string {
  return decision === undefined ? status : describeAnswer(decision)
}

function describeAnswer({ decision, by }: Pick<Answer, 'decision' | 'by'>): string {
  return by === undefined ? `decided: ${decision}` : `decided: ${decision}, by ${by}`
}
