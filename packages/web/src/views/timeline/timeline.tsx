import { useComputed, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { durationText, timeText } from '../../parts/format.ts'
import { visibleLine } from '../../parts/show-hidden.ts'
import { StateMark, stateOf } from '../../parts/state-mark.tsx'
import { navigate } from '../../shell/navigate.ts'
import { hrefOf } from '../../shell/route.ts'
import { useCommands } from '../../shell/use-commands.ts'
import { useStore } from '../../store/app-context.ts'
import type { ViewProps } from '../registry.ts'
import { flatten } from '../runs/flatten.ts'
import { Burn } from './burn.tsx'
import { Chart } from './chart.tsx'
import { criticalPath } from './critical-path.ts'
import { type Segment, segmentsOf } from './segments.ts'
import { timeScale } from './time-scale.ts'
import { useRun } from './use-run.ts'

/** When a run's sessions and calls happened, what delayed it, and its budget's burn-down. */
export function Timeline({ id, query }: ViewProps) {
  return id === undefined ? <RunList /> : <RunTimeline key={id} root={id} session={query['session']} />
}

const maxRuns = 200

function RunList() {
  const { rows, isReady, next } = useStore()
  rows.structure.value
  const hasMore = next.value !== undefined || rows.roots.length > maxRuns
  return (
    <section class="timeline-list" aria-label="Timeline">
      <div class="toolbar">
        <h1>Timeline</h1>
        <span class="dim">Choose a run</span>
      </div>
      <ul>
        {rows.roots.slice(0, maxRuns).map(({ row }) => (
          <li key={row.value.id}>
            <a class="waiting-item" href={hrefOf('timeline', row.value.id)}>
              <span class="waiting-line">
                <StateMark state={stateOf(row.value)} /> <strong>{visibleLine(row.value.agent)}</strong>{' '}
                <span class="dim">{row.value.id}</span>
              </span>
              <span>{visibleLine(row.value.work)}</span>
            </a>
          </li>
        ))}
      </ul>
      {isReady.value && rows.roots.length === 0 && <p class="empty">No runs yet.</p>}
      {hasMore && (
        <p class="empty">
          This list shows the {maxRuns} most recently changed runs. To see the timeline of another run, select
          the run in <a href={hrefOf('runs')}>Runs</a>.
        </p>
      )}
    </section>
  )
}

/** The chart of a running run grows. Updating it once per second is enough for people to read it. */
const tickMs = 1000

function RunTimeline({ root, session }: { readonly root: string; readonly session: string | undefined }) {
  const store = useStore()
  const run = useRun(root)
  const zoom = useSignal(1)
  const chosen = useSignal(session ?? root)
  const now = useSignal(Date.now())
  const rootCell = store.rows.get(root)
  const isRunning =
    rootCell !== undefined && rootCell.row.value.state !== 'ended' && rootCell.row.value.state !== 'stopped'
  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(() => {
      now.value = Date.now()
    }, tickMs)
    return () => clearInterval(timer)
  }, [isRunning])
  const lines = useComputed(() => {
    store.rows.structure.value
    const cell = store.rows.get(root)
    return cell === undefined ? [] : flatten([cell], { isOpen: () => true })
  })
  const drawn = useComputed(() => {
    const { view } = run.view.value
    const bySession = new Map<string, readonly Segment[]>()
    for (const one of view.sessions.values()) bySession.set(one.id, segmentsOf(one, now.value))
    const all = [...bySession.values()].flat()
    const scale = timeScale(all.filter(({ kind }) => kind !== 'person'))
    const path = criticalPath((id) => bySession.get(id) ?? [], root)
    return { bySession, scale, path }
  })
  const list = lines.value
  const at = Math.max(
    0,
    list.findIndex(({ cell }) => cell.id === chosen.value),
  )
  const move = (by: number) => {
    const next = list[Math.max(0, Math.min(list.length - 1, at + by))]
    if (next !== undefined) chosen.value = next.cell.id
  }
  useCommands({
    down: () => move(1),
    up: () => move(-1),
    first: () => move(-list.length),
    last: () => move(list.length),
    enter: () => navigate('sessions', chosen.peek()),
    back: () => navigate('timeline'),
  })
  const zoomTo = (value: number) => {
    zoom.value = value
  }
  const { bySession, scale, path } = drawn.value
  const onPath = [...bySession.values()].flat().filter((segment) => path.has(segment.id))
  const waited = onPath
    .filter(({ kind }) => kind === 'person')
    .reduce((sum, one) => sum + one.to - one.from, 0)
  if (run.error.value !== undefined && list.length === 0)
    return (
      <div class="empty" role="alert">
        <h1>Timeline</h1>
        <p>{run.error.value}</p>
      </div>
    )
  return (
    <div class="timeline" data-loaded={run.isLoaded.value}>
      <div class="toolbar">
        <h1>Timeline</h1>
        <a href={hrefOf('sessions', root)}>{root}</a>
        {scale.to > scale.from && (
          <span class="dim">
            {timeText(new Date(scale.from).toISOString())} · {durationText(scale.to - scale.from)}
            {scale.folds.length > 0 && `, including ${durationText(sum(scale.folds))} idle (folded)`}
            {waited > 0 && ` · ${durationText(waited)} waiting for people`}
          </span>
        )}
        <span class="zoom">
          <button
            type="button"
            aria-label="Zoom out"
            disabled={zoom.value <= 1}
            onClick={() => zoomTo(zoom.peek() / 2)}
          >
            −
          </button>
          <span class="dim">{zoom.value}×</span>
          <button
            type="button"
            aria-label="Zoom in"
            disabled={zoom.value >= 32}
            onClick={() => zoomTo(zoom.peek() * 2)}
          >
            +
          </button>
        </span>
      </div>
      {run.error.value !== undefined && (
        <p class="banner" role="alert">
          A part of the run could not be read: {run.error.value}
        </p>
      )}
      {run.error.value === undefined && run.missing.value > 0 && (
        <p class="banner" role="status">
          The run has {run.missing.value} more sessions. The chart and the burn-down do not include their
          calls.
        </p>
      )}
      <Chart
        lines={list}
        bySession={bySession}
        scale={scale}
        path={path}
        zoom={zoom.value}
        selected={at}
        onSelect={(index) => {
          const line = list[index]
          if (line !== undefined) chosen.value = line.cell.id
        }}
      />
      <Burn view={run.view.value.view} session={chosen.value} scale={scale} now={now.value} />
    </div>
  )
}

function sum(folds: readonly { readonly from: number; readonly to: number }[]): number {
  return folds.reduce((total, { from, to }) => total + to - from, 0)
}
