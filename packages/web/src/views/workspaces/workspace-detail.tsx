import type { WorkspaceItem } from '@cadre/api'
import { CommandHint } from '../../parts/command-hint.tsx'
import { DiffView } from '../../parts/diff-view.tsx'
import { Fault } from '../../parts/fault.tsx'
import { plural, timeText } from '../../parts/format.ts'
import { commandLine } from '../../parts/shell-word.ts'
import { visibleLine } from '../../parts/show-hidden.ts'
import { useAnswer } from '../../parts/use-answer.ts'
import { navigate } from '../../shell/navigate.ts'
import { hrefOf } from '../../shell/route.ts'
import { useStore } from '../../store/app-context.ts'
import { OwnForecast } from './own-forecast.tsx'
import { WorkspaceActions } from './workspace-actions.tsx'

export interface WorkspaceDetailProps {
  readonly workspace: WorkspaceItem
  /** Only the changes that this call made. */
  readonly call: string | undefined
  readonly onChanged: () => void
}

/** One workspace: all of its changes or those by one call, and the actions that a person can take. */
export function WorkspaceDetail({ workspace, call, onChanged }: WorkspaceDetailProps) {
  const { client } = useStore()
  const { session: id, commits, uncommitted } = workspace
  const whole = useAnswer((signal) => client.getWorkspaceDiff({ params: { id }, query: {}, signal }), {
    of: [id],
    again: [commits, uncommitted],
  })
  const one = useAnswer(
    async (signal) =>
      call === undefined ? undefined : client.getWorkspaceDiff({ params: { id }, query: { call }, signal }),
    { of: [id, call], again: [commits, uncommitted] },
  )
  const shown = call === undefined ? whole : one
  const steps = whole.value?.steps ?? []
  const calls = steps.filter((step) => step.call !== undefined)
  const undone = new Set(steps.flatMap(({ undoes }) => undoes))
  const step = calls.find((found) => found.call === call)
  return (
    <section class="split-detail" aria-label="Selected workspace" data-detail={id}>
      <h2>
        {visibleLine(workspace.agent)} <span class="dim">{visibleLine(id)}</span>
      </h2>
      <p class="links">
        <a class="button" href={hrefOf('sessions', id)}>
          Open its session <kbd>Enter</kbd>
        </a>
      </p>
      <dl class="facts">
        <dt>State</dt>
        <dd>
          {workspace.state}, session {workspace.life}
        </dd>
        <dt>Changes</dt>
        <dd>
          {plural(workspace.files.length, 'file')}, {plural(commits, 'commit')}
          {uncommitted > 0 && `, ${plural(uncommitted, 'file')} not committed yet`}
        </dd>
        {workspace.target !== undefined && (
          <>
            <dt>Merges into</dt>
            <dd>
              <code>{visibleLine(workspace.target)}</code>
            </dd>
          </>
        )}
        <dt>Folder</dt>
        <dd>
          <code>{visibleLine(workspace.path)}</code>
        </dd>
        <dt>Created</dt>
        <dd>{timeText(workspace.created)}</dd>
      </dl>
      <WorkspaceActions
        workspace={workspace}
        {...(step?.call !== undefined && { step: { commit: step.commit, call: step.call } })}
        onChanged={onChanged}
      />
      {workspace.state === 'open' && <OwnForecast id={id} version={`${commits} ${uncommitted}`} />}
      <h3>Changes</h3>
      <label class="workspace-call">
        Show changes in
        <select
          value={call ?? ''}
          onChange={(event) => {
            const { value } = event.currentTarget
            navigate('workspaces', id, value === '' ? {} : { call: value })
          }}
        >
          <option value="">the whole workspace</option>
          {calls.map(({ commit, call: name = '', subject }) => (
            <option key={commit} value={name}>
              {visibleLine(name)}: {visibleLine(subject)}
              {undone.has(commit) ? ' (rolled back)' : ''}
            </option>
          ))}
          {call !== undefined && step === undefined && <option value={call}>{visibleLine(call)}</option>}
        </select>
      </label>
      <CommandHint
        command={commandLine(
          'cadre',
          'workspace',
          'diff',
          id,
          ...(call === undefined ? [] : ['--call', call]),
        )}
      />
      <Fault answer={shown} />
      {shown.value === undefined ? (
        shown.error === undefined && <p class="hint">Loading…</p>
      ) : shown.value.patch === '' ? (
        <p class="hint">No committed changes. Cadre commits after each call that changes files.</p>
      ) : (
        <DiffView patch={shown.value.patch} />
      )}
    </section>
  )
}
