import type { Forecast, WorkspaceItem } from '@cadre/api'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { CommandHint } from '../../parts/command-hint.tsx'
import { plural } from '../../parts/format.ts'
import { visibleLine } from '../../parts/show-hidden.ts'
import { hrefOf } from '../../shell/route.ts'
import { useStore } from '../../store/app-context.ts'
import { type ForecastCell, forecastMatrix } from './forecast-matrix.ts'

/** Git compares every pair, so a larger table would take long and would be hard to read. */
const mostCompared = 12

/** The conflicts if open workspaces were merged now: with each other, and with their target folder. */
export function ForecastTable({ workspaces }: { readonly workspaces: readonly WorkspaceItem[] }) {
  const { client } = useStore()
  const open = workspaces.filter(({ state }) => state === 'open')
  const sessions = open.slice(0, mostCompared).map(({ session }) => session)
  const forecasts = useSignal<ReadonlyMap<string, Forecast>>(new Map())
  const errors = useSignal<readonly string[]>([])
  const isDone = useSignal(false)
  // New commits in a workspace change its forecast.
  const version = open
    .map(({ session, commits, uncommitted }) => `${session} ${commits} ${uncommitted}`)
    .join()
  useEffect(() => {
    const stop = new AbortController()
    const run = async () => {
      const found = new Map<string, Forecast>()
      const failed: string[] = []
      // One at a time, because each comparison runs git on the server.
      for (const id of sessions) {
        try {
          found.set(id, await client.getForecast({ params: { id }, signal: stop.signal }))
        } catch (error) {
          failed.push(`${id}: ${error instanceof Error ? error.message : String(error)}`)
        }
        if (stop.signal.aborted) return
        forecasts.value = new Map(found)
        errors.value = [...failed]
      }
      isDone.value = true
    }
    isDone.value = false
    void run()
    return () => stop.abort()
  }, [version])
  if (sessions.length === 0)
    return <p class="hint">No workspace has changes to merge, so nothing can conflict.</p>
  const matrix = forecastMatrix(sessions, forecasts.value)
  return (
    <section class="forecast" aria-label="Conflict forecast" data-done={isDone.value}>
      <h2>Conflict forecast</h2>
      <p class="hint">
        What would happen if Cadre merged these workspaces now. Git compares them; nothing is changed.
      </p>
      <div class="table" role="region" aria-label="Conflicts between workspaces" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Workspace</th>
              <th scope="col">Its target</th>
              {sessions.map((id) => (
                <th key={id} scope="col">
                  {visibleLine(id)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sessions.map((id) => (
              <tr key={id}>
                <th scope="row">
                  <a href={hrefOf('workspaces', id)}>{visibleLine(id)}</a>
                </th>
                <Cell cell={matrix.cell(id, 'target')} />
                {sessions.map((other) => (
                  <Cell key={other} cell={matrix.cell(id, other)} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {open.length > sessions.length && (
        <p class="hint">
          {plural(open.length - sessions.length, 'more open workspace')} not compared here. Open one of them
          to see its own forecast.
        </p>
      )}
      {errors.value.map((error) => (
        <p key={error} class="fault">
          {error}
        </p>
      ))}
      <CommandHint command="cadre workspace forecast" />
    </section>
  )
}

function Cell({ cell }: { readonly cell: ForecastCell }) {
  switch (cell.kind) {
    case 'self':
      return <td class="forecast-self">—</td>
    case 'unknown':
      return <td class="dim">…</td>
    case 'apart':
      return <td class="dim">no common files</td>
    case 'mergeable':
      return (
        <td title={visibleLine(cell.files.join('\n'))}>
          <span aria-hidden="true">≈ </span>
          {plural(cell.files.length, 'common file')}, merges
        </td>
      )
    case 'conflict':
      return (
        <td class="forecast-conflict">
          <strong>
            <span aria-hidden="true">✕ </span>conflict
          </strong>
          {cell.files.slice(0, 5).map((file) => (
            <code key={file}>{visibleLine(file)}</code>
          ))}
          {cell.files.length > 5 && <span>and {plural(cell.files.length - 5, 'more file')}</span>}
        </td>
      )
  }
}
