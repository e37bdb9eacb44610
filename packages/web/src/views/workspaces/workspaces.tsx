import type { WorkspaceItem } from '@cadre/api'
import { CommandHint } from '../../parts/command-hint.tsx'
import { Fault } from '../../parts/fault.tsx'
import { plural } from '../../parts/format.ts'
import { SelectList } from '../../parts/select-list.tsx'
import { visibleLine } from '../../parts/show-hidden.ts'
import { useAnswer } from '../../parts/use-answer.ts'
import { navigate } from '../../shell/navigate.ts'
import { useCommands } from '../../shell/use-commands.ts'
import { useStore } from '../../store/app-context.ts'
import type { ViewProps } from '../registry.ts'
import { ForecastTable } from './forecast.tsx'
import { WorkspaceDetail } from './workspace-detail.tsx'

/** The folders in which isolated sessions work, with their changes and possible conflicts. */
export function Workspaces({ id, query }: ViewProps) {
  const store = useStore()
  const answer = useAnswer((signal) => store.client.listWorkspaces({ signal }), {
    again: [store.versions.snapshot.value, store.versions.status.value],
  })
  const items = answer.value?.items ?? []
  const at = items.findIndex(({ session }) => session === id)
  const current = items[at]
  useCommands({
    back: () => (id === undefined ? false : navigate('workspaces')),
  })
  return (
    <div class="split" data-loaded={answer.value !== undefined}>
      <section class="split-list" aria-label="Workspaces">
        <div class="toolbar">
          <h1>Workspaces</h1>
          <button type="button" disabled={answer.isLoading} onClick={answer.reload}>
            Reload
          </button>
          <CommandHint command="cadre workspace list" />
        </div>
        <Fault answer={answer} />
        {answer.value !== undefined && items.length === 0 ? (
          <div class="empty">
            <p>
              No workspaces yet. An agent with <code>isolation: workspace</code> in its file works in its own
              copy of the project, and its changes appear here.
            </p>
          </div>
        ) : (
          <SelectList
            label="Workspaces"
            count={items.length}
            rowHeight={56}
            selected={at}
            onSelect={(index) => navigate('workspaces', items[index]?.session)}
            onEnter={(index) => navigate('sessions', items[index]?.session)}
            name={(index) => items[index]?.session ?? ''}
            row={(index) => <WorkspaceLine workspace={items[index] as WorkspaceItem} />}
          />
        )}
      </section>
      {current === undefined ? (
        <section class="split-detail" aria-label="All workspaces">
          {id !== undefined && answer.value !== undefined && (
            <p class="fault">Session {visibleLine(id)} does not have its own workspace.</p>
          )}
          {answer.value !== undefined && items.length > 0 && <ForecastTable workspaces={items} />}
        </section>
      ) : (
        <WorkspaceDetail
          key={current.session}
          workspace={current}
          call={query['call']}
          onChanged={answer.reload}
        />
      )}
    </div>
  )
}

function WorkspaceLine({ workspace }: { readonly workspace: WorkspaceItem }) {
  const { agent, session, state, life, files, commits } = workspace
  return (
    <>
      <span class="select-line">
        <strong>{visibleLine(agent)}</strong> <span class="dim">{visibleLine(session)}</span>
      </span>
      <span class="select-line dim">
        {state} · session {life} · {plural(files.length, 'file')} · {plural(commits, 'commit')}
      </span>
    </>
  )
}
