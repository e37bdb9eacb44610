import { budgetNoticesInSubtree, newNotices } from '../budget/budget-notices.ts'
import type { AssistantDraft } from '../ports/entry.ts'
import { Suspended } from '../ports/errors.ts'
import { nudgeLimits } from '../ports/limits.ts'
import { type Notice, noUsage, type Report } from '../ports/report.ts'
import { isBlank } from '../text/is-blank.ts'
import { awaitTeam } from './await-team.ts'
import { buildReport, type Ending } from './build-report.ts'
import { followUpMessage } from './follow-up.ts'
import { notice, type Session, say, withoutSlot } from './session.ts'

/**
 * Handles a reply without open calls: collects background results, asks for missing parts, or ends the session. Returns `undefined` if the
 * session continues.
 */
export async function conclude(session: Session): Promise<Ending | undefined> {
  const { state, spec } = session
  if (state.background.size > 0) return collect(session)
  const { teammates } = session
  if (teammates !== undefined && !(await awaitTeam(session, teammates))) return undefined
  const given = state.reported
  if (given !== undefined) return review(session, { status: 'completed', text: given })
  const reply = state.messages.at(-1) as AssistantDraft | undefined
  const text = reply?.content ?? ''
  if (reply?.stop !== undefined) return cutShort(session, reply.stop, text)
  if (isBlank(text)) {
    const message = 'Your reply was empty. Summarise in a few sentences what you did and what you found.'
    if (await nudge(session, 'empty', message)) return undefined
    return {
      status: 'error',
      text: state.lastText,
      notices: [{ code: 'agent_execution', message: 'the model gave an empty reply twice' }],
    }
  }
  if (spec.completion === 'report') {
    const message =
      'You have not reported yet. Finish any remaining work, then call the reportOut tool with your report.'
    if (await nudge(session, 'report', message)) return undefined
    const notice = {
      code: 'no_report',
      message: 'the agent ended without calling reportOut, so Cadre uses its last text as the report',
    }
    return review(session, { status: 'incomplete', text: state.lastText, notices: [notice] })
  }
  return review(session, { status: 'completed', text })
}

/** The reply was truncated, so it must not count as a complete answer. */
async function cutShort(
  session: Session,
  stop: 'length' | 'filtered',
  text: string,
): Promise<Ending | undefined> {
  const message = 'Your reply was cut off because it was too long. Send a shorter, complete reply.'
  if (stop === 'length' && (await nudge(session, 'truncated', message))) return undefined
  const why =
    stop === 'length'
      ? "the model's reply was cut off at the length limit"
      : "the backend filtered the model's reply"
  return {
    status: 'incomplete',
    text: isBlank(text) ? session.state.lastText : text,
    notices: [{ code: 'truncated', message: why }],
  }
}

/** Adds one follow-up with the results of all background delegations. */
async function collect(session: Session): Promise<undefined> {
  const { state, background, node } = session
  const calls = [...state.background.keys()]
  const ends = await withoutSlot(session, () =>
    Promise.allSettled(calls.map((call) => background.get(call)?.report ?? lostChildReport(session, call))),
  )
  const suspended = ends.flatMap((end) =>
    end.status === 'rejected' && end.reason instanceof Suspended ? end.reason.questions : [],
  )
  if (suspended.length > 0) throw new Suspended(suspended)
  const broken = ends.find((end) => end.status === 'rejected')
  if (broken?.status === 'rejected') throw broken.reason
  if (node.signal.aborted) return undefined
  const reports = ends.map((end) => (end as PromiseFulfilledResult<Report>).value)
  for (const report of reports)
    for (const { code, message } of newNotices(state, budgetNoticesInSubtree(report)))
      await notice(session, code, message)
  const before = 'All delegated tasks from this round have ended.'
  const after = 'Delegate the remaining work, or give your answer.'
  await say(session, `collect/${state.round}`, followUpMessage({ calls, reports, before, after }))
  for (const call of calls) background.delete(call)
  return undefined
}

/** The call that started the child was removed from the record, so it cannot be resumed. */
function lostChildReport(session: Session, call: string): Promise<Report> {
  const child = session.state.background.get(call) ?? call
  const notices: Notice[] = [
    { code: 'delegation', message: `the record of the delegation ${call} no longer exists` },
  ]
  return Promise.resolve({
    ...buildReport(session, { status: 'error', text: '', notices }),
    session: child,
    usage: noUsage,
    sessions: 0,
    calls: 0,
  })
}

/** The gate's review of a report. It can return the report, for example for missing sections, a limited number of times. */
async function review(session: Session, ending: Ending): Promise<Ending | undefined> {
  const request = { report: buildReport(session, ending), stops: session.state.nudges.stop }
  const verdict = await session.gate.review(request, session.spec, session.node.signal)
  if (verdict.kind === 'accept') {
    const { sections, output } = verdict
    return { ...ending, ...(sections && { sections }), ...(output !== undefined && { output }) }
  }
  const { by = 'sections', reason } = verdict
  if (await nudge(session, by, reason)) return undefined
  const notice = {
    code: by,
    message: `the report is still incomplete after ${nudgeLimits[by]} requests to correct it: ${reason}`,
  }
  return { ...ending, status: 'incomplete', notices: [...(ending.notices ?? []), notice] }
}

async function nudge(session: Session, kind: keyof typeof nudgeLimits, content: string): Promise<boolean> {
  if (session.state.nudges[kind] >= nudgeLimits[kind]) return false
  await say(session, `nudge/${kind}/${session.state.seq}`, { content, nudge: kind })
  return true
}
