import { existsSync } from 'node:fs'
import { CadreError, messageOf } from '@cadre/core'
import { approvalJson } from '@cadre/gate'
import { daemonLeaseName, type Home, runningProcess } from '@cadre/home'
import {
  type BudgetView,
  budgetLine,
  describeBudgets,
  homeOf,
  loadPolicyFor,
  loadSettings,
  openSessions,
  untrustedItems,
} from '@cadre/runtime'
import { type DaemonStatus, problemLocation, readStatus } from '@cadre/server'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { localTime } from '../../output/local-time.ts'
import { createStyle, type Style, shouldUseColour } from '../../output/style.ts'
import { wrapForTerminal } from '../../output/wrap-for-terminal.ts'

/** `cadre status`. */
export async function showStatus(
  io: Io,
  flags: { readonly home?: string; readonly json?: boolean },
): Promise<ExitCode> {
  const home = homeOf(io, flags.home)
  if (!existsSync(home.path))
    throw new CadreError(
      'configuration',
      'there is no home directory here. Create one with "cadre init --team NAME", or specify one with --home.',
      {
        where: home.path,
      },
    )
  const owner = runningProcess(home, daemonLeaseName)
  const known = readStatus(home)
  // Without a daemon, its last status does not have later questions and decisions.
  const { approvals, unreadable = [] } =
    owner === undefined ? await pendingApprovals(io, home) : { approvals: known?.approvals }
  const budgets = await budgetsOf(io, home)
  if (flags.json) {
    const facts =
      owner === undefined ? { running: false } : { running: true, pid: owner.pid, host: owner.host }
    io.stdout.write(
      `${JSON.stringify({ ...known, approvals, ...facts, home: home.path, ...(budgets.views && { budgets: budgets.views }) })}\n`,
    )
    return exitCodes.done
  }
  const style = createStyle(shouldUseColour(io.stdout, io.env))
  const lines: string[] = []
  if (owner === undefined) lines.push(`No daemon is running on ${home.path}. Start one with "cadre up".`)
  else {
    const since = owner.since ?? known?.since
    lines.push(
      `${style.green('●')} The daemon on ${home.path} is running: process ${owner.pid} on ${owner.host}${since === undefined ? '' : `, since ${localTime(since)}`}.`,
    )
  }
  // While a process is only starting, the status is from an earlier one.
  if (known !== undefined && known.pid === owner?.pid) lines.push(...describeNow(known, style))
  if (owner === undefined || known?.pid === owner.pid) {
    lines.push(...describeApprovals(approvals ?? [], style))
    if (known !== undefined) lines.push(...describeProblems(known, owner !== undefined, style))
  }
  lines.push(...[...unreadable, ...budgets.lines].map((line) => `  ${cleanLine(line)}`))
  io.stdout.write(`${wrapForTerminal(io.stdout, lines.join('\n'))}\n`)
  return exitCodes.done
}

/** Takes no decisions, and changes no files. */
async function pendingApprovals(
  io: Io,
  home: Home,
): Promise<{ readonly approvals?: DaemonStatus['approvals']; readonly unreadable?: readonly string[] }> {
  try {
    const { engine } = await openSessions(io, home.path)
    try {
      return { approvals: (await engine.approvals.read()).map(approvalJson) }
    } finally {
      await engine.close()
    }
  } catch (error) {
    return { unreadable: [`approvals: ${messageOf(error)}`] }
  }
}

/** The daily budgets in a trusted home. */
async function budgetsOf(
  io: Io,
  home: Home,
): Promise<{ readonly views?: readonly BudgetView[]; readonly lines: readonly string[] }> {
  try {
    const homeTrusted = (await untrustedItems(io, home)).length === 0
    const { config } = await loadSettings(io, home, { homeTrusted })
    const policy = await loadPolicyFor(io, home, homeTrusted)
    const views = await describeBudgets(home, config, policy)
    return { ...(views.length > 0 && { views }), lines: views.map(budgetLine) }
  } catch (error) {
    return { lines: [`budgets: ${messageOf(error)}`] }
  }
}

function describeNow(known: DaemonStatus, style: Style): string[] {
  const { sessions, counts, channels, address } = known
  const list = (names: readonly string[]) =>
    names.length === 0
      ? '0'
      : `${names.length} (${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''})`
  return [
    `  workspace  ${known.workspace}`,
    `  sessions   running ${list(sessions.running)} · waiting ${list(sessions.waiting)} · queued ${list(sessions.queued)}`,
    ...Object.entries(counts).map(([name, numbers]) => {
      const said = Object.entries(numbers).map(([what, number]) => `${what} ${number}`)
      return `  ${name.padEnd(9)}  ${said.join(' · ')}`
    }),
    ...(channels.length === 0
      ? []
      : [`  channels   ${channels.join(', ')}${address === undefined ? '' : ` · ${address}`}`]),
    ...(known.page === undefined ? [] : [`  page       ${known.page} · open it with "cadre open"`]),
    ...(known.configurationPending
      ? [`  ${style.yellow('the new configuration takes effect when no session is running')}`]
      : []),
  ]
}

function describeApprovals(approvals: DaemonStatus['approvals'], style: Style): string[] {
  if (approvals.length === 0) return []
  const lines = approvals.map(
    (one) =>
      `  ${style.yellow('?')} ${one['id']}  ${cleanLine(`${one['agent']} ${one['type']}: ${one['action']}`).slice(0, 100)}`,
  )
  return ['Pending approvals ("cadre approve ID", "cadre reject ID"):', ...lines]
}

function describeProblems(
  { problems, gitMissing }: DaemonStatus,
  isRunning: boolean,
  style: Style,
): string[] {
  const lines = problems.map((problem) => {
    const sign = problem.severity === 'error' ? style.red('✗') : style.yellow('!')
    return `  ${sign} ${cleanLine(`${problemLocation(problem)}: ${problem.message}`)}`
  })
  return [
    ...(lines.length === 0 ? [] : [isRunning ? 'Problems:' : 'Last known problems:', ...lines]),
    ...(gitMissing === undefined ? [] : [`  ${style.yellow('!')} no git: ${cleanLine(gitMissing)}`]),
  ]
}
