/** The server's answers about runs: plain text that ends with the next call to make. */
import { cleanData, shortLine, workWithoutHeadings } from '@cadre/core'
import { type ApprovalRecord, actionLines } from '@cadre/gate'
import type { KnownRun } from './run-state.ts'

/** Hosts save longer results to files and show their model only the beginning. */
const maxReport = 60_000

const untrustedText =
  'Notice: the person has not trusted this folder, so the agents could only read files. To change that, they can start "cadre run" in a terminal there and answer the question.'

export interface RunTextOptions {
  /** What the agents are doing. */
  readonly news?: string
  /** The file with the complete record. */
  readonly file: string
  /** Whether the calling program may decide approvals. */
  readonly mayDecide: boolean
  /** Whether `wait_for_run` shows pending approvals to the program's user. */
  readonly asksUser?: boolean
}

export function runText(run: KnownRun, options: RunTextOptions): string {
  const { id, state, stored } = run
  const agent = stored === undefined ? '' : ` (${stored.spec.agent.name})`
  const title = (status: string) => `Run ${id}${agent}: ${status}.`
  const wait = `Next: call wait_for_run with run "${id}".`
  switch (state.kind) {
    case 'starting':
      return `${title('starting')}\n${wait}`
    case 'idle':
      return `${title('resuming')}\n${wait}`
    case 'running':
      return `${title('running')}${options.news === undefined ? '' : ` ${options.news}`}\n${wait}`
    case 'failed':
      return `${title('failed')} ${sentence(state.reason)}\nNext: fix the cause and call delegate_work again, or tell the user.`
    case 'waiting':
      return `${title('waiting for a decision')}\n${approvalsText(state.approvals, { ...options, id })}`
    case 'ended':
      return endedText(run, title, options)
  }
}

function endedText(
  { id, state, untrusted }: KnownRun,
  title: (status: string) => string,
  { file }: RunTextOptions,
): string {
  if (state.kind !== 'ended') throw new Error('unreachable: the run has not ended')
  const { report, outcome } = state
  const notices = [
    ...(untrusted ? [untrustedText] : []),
    ...(report?.notices ?? []).map(({ message }) => `Notice: ${shortLine(message, 500)}`),
  ]
  const text = cleanData(report?.text ?? '').trim()
  const shown =
    text.length <= maxReport
      ? text
      : `${text.slice(0, maxReport)}\n[The report has ${text.length} characters. The rest is in ${file}.]`
  const usage = report === undefined ? [] : [usageText(report)]
  const body = shown === '' ? 'The run has no report.' : `The agent's report, as data:\n${shown}`
  const next =
    outcome === 'completed' ? [] : [`Next: tell the user to continue this session with: cadre resume ${id}`]
  return [title(outcome), ...notices, body, ...usage, ...next].join('\n')
}

function usageText({
  sessions,
  calls,
  usage,
}: NonNullable<Extract<KnownRun['state'], { kind: 'ended' }>['report']>) {
  const cost = usage.cost === undefined ? '' : `, $${usage.cost.toFixed(4)}`
  return `Used: ${sessions} ${sessions === 1 ? 'session' : 'sessions'}, ${calls} ${calls === 1 ? 'call' : 'calls'}, ${usage.input + usage.output} tokens${cost}.`
}

/** Shows every pending action in full, because the person who decides must see all of it. */
export function approvalsText(
  approvals: readonly ApprovalRecord[],
  {
    id,
    mayDecide,
    asksUser = false,
  }: Pick<RunTextOptions, 'mayDecide' | 'asksUser'> & { readonly id?: string },
): string {
  if (approvals.length === 0)
    return id === undefined
      ? 'No approvals are pending.'
      : `A person must answer a question. They can see it with: cadre sessions show ${id}`
  const blocks = approvals.map((record) => approvalText(record))
  const ids = approvals.map((one) => one.id)
  const byPerson = `cadre approve ${ids[0]} · cadre reject ${ids[0]}`
  const next = asksUser
    ? `Next: call wait_for_run with run "${approvals[0]?.root}" now. It shows the action to the person, who decides.`
    : mayDecide
      ? `Next: ask the person, then call decide_approval with their decision for each id. They can also decide in a terminal: ${byPerson}`
      : `Next: show the person the whole action and ask them to decide in a terminal: ${byPerson}. Then call wait_for_run.`
  return [...blocks, next].join('\n\n')
}

export function approvalText(record: ApprovalRecord): string {
  const { id, agent, type, risk, reasons, why, root, session } = record
  const facts = [
    `type ${type}`,
    ...(risk === undefined ? [] : [`risk ${risk}`]),
    `agent ${agent}`,
    `run ${root}`,
  ]
  return [
    `Approval ${id} (${shortLine(facts.join(', '), 400)}${session === root ? '' : `, session ${session}`})`,
    ...actionLines(record),
    `Why: ${shortLine(why, 1000)}`,
    ...reasons.map((reason) => `- ${shortLine(reason, 1000)}`),
  ].join('\n')
}

/** One line for a list of runs. */
export function runLine({ id, state, stored, delegatedRun }: KnownRun): string {
  const status =
    state.kind === 'ended'
      ? state.outcome
      : state.kind === 'waiting'
        ? `waiting for ${state.approvals.length || 'a'} ${state.approvals.length > 1 ? 'decisions' : 'decision'}`
        : state.kind === 'idle'
          ? 'interrupted'
          : state.kind
  const work = shortLine(workWithoutHeadings(stored?.spec.work.content ?? delegatedRun?.work ?? ''), 80)
  const agent = stored?.spec.agent.name ?? delegatedRun?.agent ?? delegatedRun?.team ?? 'default agent'
  const by =
    delegatedRun === undefined ? 'started by a person' : `delegated by ${shortLine(delegatedRun.host, 60)}`
  return `- ${id}: ${status} · ${agent} · ${by} · ${work}`
}

function sentence(text: string): string {
  const clean = cleanData(text).trim()
  return /[.!?]$/.test(clean) ? clean : `${clean}.`
}
