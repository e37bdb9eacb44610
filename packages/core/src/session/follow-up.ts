import type { UserDraft } from '../ports/entry.ts'
import { addUsage, noUsage, type Report } from '../ports/report.ts'
import { outcomeFromReport } from '../tree/delegate.ts'

interface FollowUp {
  /** The calls that started the delegations. */
  readonly calls: readonly string[]
  readonly reports: readonly Report[]
  /** Text before the results. */
  readonly before: string
  /** Text after the results. */
  readonly after?: string
}

/** The message with the results and the usage of background delegations. */
export function followUpMessage({ calls, reports, before, after }: FollowUp): Omit<UserDraft, 'role'> {
  return {
    content: [
      before,
      ...reports.map((report) => subagentResult(report)),
      ...(after === undefined ? [] : [after]),
    ].join('\n\n'),
    collected: calls,
    usage: reports.reduce((sum, report) => addUsage(sum, report.usage), noUsage),
    sessions: reports.reduce((sum, report) => sum + report.sessions, 0),
    calls: reports.reduce((sum, report) => sum + report.calls, 0),
  }
}

/** A child's report, as the parent's model sees it. `more`: further attributes. */
export function subagentResult(report: Report, more: { readonly [name: string]: string } = {}): string {
  const { outcome, content } = outcomeFromReport(report)
  const attributes = {
    ...more,
    agent_type: report.agent,
    agent_id: report.session,
    status: outcome ?? 'done',
  }
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`)
  // The child's text is data, so it must not be able to close the block.
  const safe = content.replaceAll('</subagent_result', '<\\/subagent_result')
  return `<subagent_result${written.join('')}>\n${safe}\n</subagent_result>`
}
