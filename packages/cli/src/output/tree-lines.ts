import { addUsage, noUsage, type SessionView, type View } from '@cadre/core'
import { formatAmount, formatCount, formatDuration, usageNumbers } from './numbers.ts'
import { sessionName } from './session-name.ts'
import { activityOf, symbolOf } from './session-text.ts'
import { type ShownState, shownState } from './shown-state.ts'
import type { Style } from './style.ts'
import { fitText, textWidth, truncateText } from './text-width.ts'
import { workText } from './work-text.ts'

export interface TreeOptions {
  readonly columns: number
  /** The maximum number of lines. */
  readonly rows: number
  readonly now: number
  readonly style: Style
  /** The symbol of a running session. */
  readonly working?: string
  /** Text about a session, instead of its work and activity. */
  readonly about?: (session: SessionView) => string | undefined
  /** Nothing is running: durations end with the last record. */
  readonly isStill?: boolean
}

/** A session, or several ended ones in one line. */
type Row =
  | { readonly kind: 'session'; readonly lead: string; readonly session: SessionView }
  | { readonly kind: 'folded'; readonly lead: string; readonly sessions: readonly SessionView[] }
  | { readonly kind: 'cut'; readonly count: number }

/** The tree of sessions, one line each, up to a limit: ended sessions are folded first. */
export function treeLines(view: View, roots: readonly string[], options: TreeOptions): string[] {
  const rows = fitRows(view, roots, options.rows)
  const names = rows.map((row) =>
    row.kind === 'session' ? row.lead.length + 2 + textWidth(sessionName(row.session)) : 0,
  )
  const left = Math.min(Math.max(...names, 8), Math.max(8, Math.floor(options.columns * 0.4)))
  return rows.map((row) => lineOf(row, view, left, options))
}

function fitRows(view: View, roots: readonly string[], max: number): Row[] {
  const forms = [collect(view, roots, 'all'), collect(view, roots, 'open'), collect(view, roots, 'folded')]
  const fitting = forms.find((rows) => rows.length <= max)
  if (fitting !== undefined) return fitting
  const rows = forms[2] as Row[]
  const kept = rows.slice(0, Math.max(0, max - 1))
  return [...kept, { kind: 'cut', count: rows.length - kept.length }]
}

/** `open` omits the sessions below ended ones; `folded` also merges ended siblings into one line. */
function collect(view: View, roots: readonly string[], form: 'all' | 'open' | 'folded'): Row[] {
  const rows: Row[] = []
  const add = (ids: readonly string[], above: string, top: boolean) => {
    const sessions = ids.flatMap((id) => view.sessions.get(id) ?? [])
    const ended = form === 'folded' ? sessions.filter((session) => session.state === 'ended') : []
    const shown = ended.length > 1 ? sessions.filter((session) => session.state !== 'ended') : sessions
    const folded = ended.length > 1
    if (folded)
      rows.push({
        kind: 'folded',
        lead: top ? '' : `${above}${shown.length === 0 ? '└─' : '├─'}`,
        sessions: ended,
      })
    shown.forEach((session, index) => {
      const last = index === shown.length - 1
      rows.push({ kind: 'session', lead: top ? '' : `${above}${last ? '└─' : '├─'}`, session })
      // The entry session stays open, because its children are the run.
      if (form !== 'all' && session.state === 'ended' && !top) return
      add(session.children, top ? '' : `${above}${last ? '  ' : '│ '}`, false)
    })
  }
  add(roots, '', true)
  return rows
}

function lineOf(row: Row, view: View, left: number, options: TreeOptions): string {
  const { style, columns } = options
  if (row.kind === 'cut') return style.dim(truncateText(`… ${formatCount(row.count, 'more line')}`, columns))
  const lead = row.lead === '' ? '' : `${style.dim(row.lead)}`
  if (row.kind === 'folded')
    return `${lead}${style.dim(truncateText(foldedText(row.sessions), columns - row.lead.length))}`
  return rowOf(row.session, view, row.lead, left, options)
}

/** One session, with a prefix of any length. */
export function sessionLine(session: SessionView, view: View, lead: string, options: TreeOptions): string {
  const maxAgentWidth = Math.max(8, Math.floor((options.columns - lead.length) * 0.4))
  const left = lead.length + Math.min(2 + textWidth(sessionName(session)), maxAgentWidth)
  return rowOf(session, view, lead, left, options)
}

function rowOf(session: SessionView, view: View, before: string, left: number, options: TreeOptions): string {
  const { style, columns } = options
  const lead = before === '' ? '' : style.dim(before)
  const figures = columns < 50 ? '' : figuresOf(session, options)
  const name = fitText(sessionName(session), Math.max(1, left - before.length - 2))
  const room = columns - left - 2 - (figures === '' ? 0 : figures.length + 2)
  const activity = fitText(
    options.about?.(session) ?? workAndActivity(session, view, room),
    Math.max(0, room),
  )
  const symbol = symbolOf(session, shownState(session, view, options.isStill), style, options.working)
  const end = figures === '' ? activity.trimEnd() : `${activity}  ${style.dim(figures)}`
  return `${lead}${symbol} ${session.state === 'ended' ? name : style.bold(name)}  ${end}`
}

/** A child's work and activity. The user knows the work of the entry session. */
function workAndActivity(session: SessionView, view: View, room: number): string {
  const activity = activityOf(session, view)
  const work = session.depth === 0 ? '' : workText(session.work)
  // If there is no space for both, the activity is more important.
  const max = Math.max(Math.floor(room / 2), room - textWidth(activity) - 3)
  return work === '' || room < 30 ? activity : `${truncateText(work, max)} · ${activity}`
}

function figuresOf(session: SessionView, { now, isStill }: TreeOptions): string {
  const until = isStill || session.state === 'ended' ? Date.parse(session.updatedAt) : now
  const spent = session.usage.input + session.usage.output
  const used = spent === 0 ? '' : `${formatAmount(spent)} tok`
  return `${used.padStart(9)} ${formatDuration(until - Date.parse(session.startedAt)).padStart(11)}`
}

function foldedText(sessions: readonly SessionView[]): string {
  const done = sessions.filter((session) => session.report?.status === 'completed').length
  const rest = sessions.length - done
  return `… ${done} completed${rest === 0 ? '' : `, ${rest} not`}`
}

/** One line that summarizes the tree. `isStill`: no process runs it. */
export function summaryLine(view: View, hint: string, isStill = false): string {
  const sessions = [...view.sessions.values()]
  const states = sessions.map((session) => shownState(session, view, isStill))
  const count = (state: ShownState) => states.filter((one) => one === state).length
  const usage = sessions.reduce((sum, session) => addUsage(sum, session.usage), noUsage)
  const parts = [
    formatCount(sessions.length, 'session'),
    ...(count('working') > 0 ? [`${count('working')} running`] : []),
    ...(count('queued') > 0 ? [`${count('queued')} queued`] : []),
    ...(count('waiting') > 0 ? [`${count('waiting')} waiting`] : []),
    ...(count('paused') > 0 ? [`${count('paused')} paused`] : []),
    ...(count('stopped') > 0 ? [`${count('stopped')} stopped`] : []),
    ...usageNumbers(usage),
    ...(hint === '' ? [] : [hint]),
  ]
  return parts.join(' · ')
}
