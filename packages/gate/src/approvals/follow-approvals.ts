import { existsSync } from 'node:fs'
import { type Answer, isPermission, messageOf, type Question, type Run, type VoteChannel } from '@cadre/core'
import type { Home } from '@cadre/home'
import type { FileEngine } from '@cadre/journal'
import type { ApprovalRecord } from './approval-record.ts'
import { approvalsIn } from './approvals-in.ts'
import type { Approvals } from './create-approvals.ts'
import { requirePerson } from './require-person.ts'
import { voteText } from './vote-text.ts'

/**
 * Wraps an engine to keep the forms up to date. Before a session is opened, it finishes what an earlier process left
 * undone. When a question is answered in any way, it updates the forms before the answer takes effect.
 */
export function followApprovals(
  engine: FileEngine,
  approvals: Approvals,
  { home, tell }: { readonly home: Home; readonly tell: (message: string) => void },
): FileEngine {
  let begun: Promise<void> | undefined
  const trees = new Set<string>()
  // The journal has the answer, so an outdated form can be updated later.
  const attempt = (work: Promise<void>) =>
    work.catch((error) => tell(`cannot update the approval files: ${messageOf(error)}`))
  return {
    ...engine,
    async open(spec) {
      // Only an existing session can have forms from an earlier process.
      if (!trees.has(spec.root) && existsSync(home.at('sessions', `${spec.id}.session.yaml`)))
        requirePerson(home)
      trees.add(spec.root)
      begun ??= attempt(approvals.reconcile())
      await begun
      return followRun(await engine.open(spec), (question) => attempt(approvals.settle(spec.id, question)))
    },
    async answer(session, name, answer) {
      requirePerson(home)
      const stored = await engine.read(session)
      const record = stored && approvalsIn(stored).find(({ question }) => question === name)
      // Votes must go through the identity checks.
      if (record?.need !== undefined && record.status === 'pending') {
        const decided = await approvals.decide(record, answer, approvals.voters.here('command'))
        return decided.kind === 'recorded' ? decided.answer : undefined
      }
      const counted = await engine.answer(session, name, answer)
      await attempt(approvals.settle(session, name))
      return counted
    },
    async close() {
      await attempt(approvals.catchUp())
      await engine.close()
    },
  }
}

function followRun(run: Run, settle: (question: string) => Promise<void>): Run {
  return {
    recorded: run.recorded,
    lost: run.lost,
    get alone() {
      return run.alone
    },
    step: (name, work, options) => run.step(name, work, options),
    spawn: (spec) => run.spawn(spec),
    async waitFor(question, signal) {
      const answer = await run.waitFor(question, signal)
      await settle(question.name)
      return answer
    },
    changes: () => run.changes(),
    end: (end) => run.end(end),
  }
}

/** Asks the person in the terminal. Resolves with undefined if they decide later. */
export type AskInTerminal = (
  session: string,
  question: Question,
  signal: AbortSignal,
) => Promise<Answer | undefined>

export interface AskRequest {
  readonly session: string
  readonly question: Question
  readonly ask?: AskInTerminal | undefined
  /** How `ask` reaches the person. Default: the terminal. */
  readonly via?: VoteChannel | undefined
  readonly tell?: ((message: string) => void) | undefined
  /** Set if `ask` rejects everything because no person is present: `--no-human`. */
  readonly isUnattended?: boolean | undefined
}

/**
 * Asks a question in the forms and, if a person is present, in the terminal; the first decision applies. Without a
 * terminal, only an existing decision counts; otherwise the session is suspended.
 */
export async function askEverywhere(
  approvals: Approvals,
  request: AskRequest,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  const { session, question, ask } = request
  const record = await approvals.publish(session, question)
  if (record?.need !== undefined) return askSeveral(approvals, request, record, signal)
  const decided = record && approvals.decisionFor(record)
  if (decided !== undefined || ask === undefined) return decided
  if (record === undefined) return ask(session, question, signal)
  const end = new AbortController()
  const both = AbortSignal.any([signal, end.signal])
  try {
    const written = approvals.watch(record, both).then((answer) => answer ?? new Promise<never>(() => {}))
    return await Promise.race([written, ask(session, question, both)])
  } finally {
    end.abort()
  }
}

/**
 * Asks a question that needs several people. Votes go through `decide` and `collect`, which record the answer when there are enough, and the
 * engine finds it there. The person in the terminal can vote. After that, or if their vote would not count, the session is suspended until others have
 * voted.
 */
async function askSeveral(
  approvals: Approvals,
  { session, question, ask, via = 'terminal', tell = () => {}, isUnattended }: AskRequest,
  asked: ApprovalRecord,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  const record = await approvals.collect(asked)
  const { need } = record
  if (ask === undefined || need === undefined || record.status !== 'pending') return undefined
  if (isUnattended) {
    const answer = await ask(session, question, signal)
    return answer === undefined || isPermission(answer.decision) ? undefined : { ...answer, via: 'command' }
  }
  const voter = approvals.voters.here(via)
  const hasVoted = record.votes.some(({ by }) => by === voter.name)
  const objection = await approvals.objectionTo({ ...record, need }, voter)
  if (objection !== undefined) tell(`${record.id} needs approval from other people: ${objection}.`)
  if (objection !== undefined || hasVoted) return undefined
  const end = new AbortController()
  const both = AbortSignal.any([signal, end.signal])
  try {
    const following = approvals
      .follow(record, both)
      .catch((error) => tell(`cannot watch for votes: ${messageOf(error)}`))
    const answer = await ask(session, question, both)
    if (answer === undefined || both.aborted) return undefined
    const decided = await approvals.decide(record, answer, voter)
    if (decided.kind === 'voted') tell(`${record.id}: ${voteText(decided.record)}`)
    end.abort()
    await following
    return undefined
  } finally {
    end.abort()
  }
}
