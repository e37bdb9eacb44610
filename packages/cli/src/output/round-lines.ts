import { type CallView, childrenByCall, type RoundView, type SessionView, type View } from '@cadre/core'
import { callText } from './call-text.ts'
import { cleanLine } from './clean-text.ts'
import { sentBackReason } from './sent-back-reason.ts'
import { shownState } from './shown-state.ts'
import type { Style } from './style.ts'
import { sessionLine, type TreeOptions } from './tree-lines.ts'
import { truncateStyled } from './truncate-styled.ts'

/** A node of the tree with its children. Lines are created on demand, with the remaining width. */
interface Node {
  readonly line: (lead: string) => string
  readonly below: () => readonly Node[]
}

/**
 * The tree of rounds: each session with its rounds, each round with its calls, and below a call the session it started, to
 * any depth. No line is wider than the terminal.
 */
export function roundLines(view: View, root: string, options: TreeOptions): string[] {
  const seen = new Set<string>()
  const lines: string[] = []
  const add = ({ line, below }: Node, lead: string, above: string) => {
    lines.push(truncateStyled(line(lead), options.columns))
    const nodes = below()
    nodes.forEach((node, index) => {
      const isLast = index === nodes.length - 1
      add(node, `${above}${isLast ? '└─' : '├─'}`, `${above}${isLast ? '  ' : '│ '}`)
    })
  }
  for (const node of sessionNodes([root])) add(node, '', '')
  return lines

  function sessionNodes(ids: readonly string[]): Node[] {
    return ids.flatMap((id) => {
      const session = view.sessions.get(id)
      // Files can be edited, so cycles are ignored.
      if (session === undefined || seen.has(id)) return []
      seen.add(id)
      return [
        { line: (lead: string) => sessionLine(session, view, lead, options), below: () => nodesIn(session) },
      ]
    })
  }

  function nodesIn(session: SessionView): Node[] {
    const children = childrenByCall(view, session)
    const rounds = session.rounds.map(
      (round): Node => ({
        line: (lead) => `${dimLead(lead, options.style)}${roundText(round, options.style)}`,
        below: () =>
          round.toolCalls.map((call) => callNode(call, session, round, children.get(call.id) ?? [])),
      }),
    )
    const calls = session.rounds.flatMap(({ toolCalls }) => toolCalls)
    const placed = new Set(calls.flatMap(({ id }) => children.get(id) ?? []))
    // The calls that started them were removed from the record, but the sessions still exist.
    const lost = session.children.filter((id) => !placed.has(id))
    return [...rounds, ...sessionNodes(lost)]
  }

  function callNode(
    call: CallView,
    session: SessionView,
    round: RoundView,
    children: readonly string[],
  ): Node {
    const state = shownState(session, view, options.isStill)
    const isSuspended = state === 'waiting' || state === 'paused'
    const how = isSuspended ? state : options.isStill ? 'still' : 'live'
    return {
      line: (lead) => `${dimLead(lead, options.style)}${callLine(call, round, options.style, how)}`,
      below: () => sessionNodes(children),
    }
  }
}

function dimLead(lead: string, style: Style): string {
  return lead === '' ? '' : style.dim(lead)
}

function roundText({ roundId, reply, toolCalls, sentBack: why }: RoundView, style: Style): string {
  const first = firstLine(reply)
  // If the report was a call, it is shown there.
  const isSaid = why === undefined || toolCalls.some(isReport)
  const back = isSaid ? '' : `  ${style.yellow('!')} ${style.dim(`sent back: ${sentBackReason(why)}`)}`
  return `${style.bold(`round ${roundId}`)}${first === '' ? '' : `  ${first}`}${back}`
}

function isReport({ name, status }: CallView): boolean {
  return name === 'reportOut' && status === 'done'
}

/** The state of the session of a call: running, ended, suspended until a person decides, or paused. */
type CallProgress = 'live' | 'still' | 'waiting' | 'paused'

function callLine(call: CallView, { sentBack: why }: RoundView, style: Style, how: CallProgress): string {
  if (why !== undefined && isReport(call))
    return `${style.yellow('!')} ${callText(call.name, call.input)}  ${style.dim(`sent back: ${sentBackReason(why)}`)}`
  const { mark, word } = statusOf(call, style, how)
  const isSettled = call.status === 'failed' || call.status === 'refused' || call.status === 'in_doubt'
  const reason = isSettled ? firstLine(call.content ?? '') : ''
  const said = word === '' ? '' : `  ${style.dim(reason === '' ? word : `${word}: ${reason}`)}`
  return `${mark} ${callText(call.name, call.input)}${said}`
}

function statusOf({ status }: CallView, style: Style, how: CallProgress): { mark: string; word: string } {
  switch (status) {
    case 'done':
      return { mark: style.green('✓'), word: '' }
    case 'failed':
    case 'refused':
      return { mark: style.red('✗'), word: status }
    case 'in_doubt':
      return { mark: style.yellow('!'), word: 'in doubt' }
    case 'cancelled':
      return { mark: style.yellow('■'), word: status }
    case 'waiting':
      return { mark: style.yellow('?'), word: 'waiting for a decision' }
    case 'running':
    case 'pending':
      // Results are recorded in the order of the calls, so a finished call may not be recorded yet.
      if (how === 'waiting') return { mark: style.dim('○'), word: 'recorded once the decision is made' }
      if (how === 'paused') return { mark: style.yellow('■'), word: 'paused' }
      // The call was running when its process ended.
      if (how === 'still') return { mark: style.yellow('■'), word: 'stopped' }
      return status === 'running'
        ? { mark: style.cyan('●'), word: 'running' }
        : { mark: style.dim('○'), word: '' }
  }
}

/** The first non-empty line, searched near the start of long texts. */
function firstLine(text: string): string {
  const beginning = text.slice(0, 2000).trimStart()
  return cleanLine(beginning.split('\n', 1)[0] ?? '')
}
