import type { WorkspaceItem } from '@cadre/api'
import { useSignal } from '@preact/signals'
import { CommandHint } from '../../parts/command-hint.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { plural } from '../../parts/format.ts'
import { OperatorNote } from '../../parts/operator-note.tsx'
import { commandLine } from '../../parts/shell-word.ts'
import { visibleLine } from '../../parts/show-hidden.ts'
import { attempt, notify } from '../../shell/toasts.ts'
import { useStore } from '../../store/app-context.ts'
import { type ActionResult, actionResult } from './action-result.ts'

export interface WorkspaceActionsProps {
  readonly workspace: WorkspaceItem
  /** The call whose changes are shown, and its commit. */
  readonly step?: { readonly commit: string; readonly call: string }
  readonly onChanged: () => void
}

type ActionName = 'merge' | 'rollback' | 'clean'

/** Merge, roll back and clean up. Each action asks first, and then reports its result. */
export function WorkspaceActions({ workspace, step, onChanged }: WorkspaceActionsProps) {
  const store = useStore()
  const { client } = store
  const asking = useSignal<ActionName | undefined>(undefined)
  const result = useSignal<ActionResult | undefined>(undefined)
  const { session: id, state, life, files, uncommitted, target } = workspace
  if (!store.may('operator')) return <OperatorNote what="merge or roll back" />
  const commands: Readonly<Record<ActionName, string>> = {
    merge: commandLine('cadre', 'workspace', 'merge', id),
    rollback: commandLine('cadre', 'workspace', 'rollback', id, ...(step ? ['--call', step.call] : [])),
    clean: commandLine('cadre', 'workspace', 'clean', id),
  }
  const run = (action: ActionName) =>
    attempt(async () => {
      result.value = undefined
      if (action === 'clean') {
        const { removed, kept } = await client.cleanWorkspace({ params: { id } })
        const [left] = (kept as { why?: string }[] | undefined) ?? []
        if ((removed as unknown[]).length > 0) notify('The workspace was removed.')
        else
          result.value = {
            isDone: false,
            text: `Kept: ${left?.why ?? 'the workspace is in use'}.`,
            files: [],
          }
      } else {
        const answer =
          action === 'merge'
            ? await client.mergeWorkspace({ params: { id } })
            : await client.rollBackWorkspace({ params: { id }, body: step ? { commit: step.commit } : {} })
        result.value = actionResult(answer)
      }
      onChanged()
    })
  const button = (action: ActionName, words: string, isPossible: boolean) => (
    <div class="action">
      <button
        type="button"
        disabled={!isPossible}
        onClick={() => {
          asking.value = action
        }}
      >
        {words}
      </button>
      <CommandHint command={commands[action]} />
    </div>
  )
  const isFree = life !== 'running'
  const hasChanges = files.length + uncommitted > 0
  const close = () => {
    asking.value = undefined
  }
  return (
    <div class="actions">
      {!isFree && (
        <p class="hint">The session is running. Merge or roll back when it has ended or is suspended.</p>
      )}
      {button('merge', 'Merge…', isFree && state === 'open')}
      {button(
        'rollback',
        step ? `Roll back ${visibleLine(step.call)}…` : 'Roll back everything…',
        isFree && hasChanges,
      )}
      {button('clean', 'Remove the workspace…', life === 'ended')}
      {result.value !== undefined && (
        <div class={result.value.isDone ? 'outcome' : 'outcome outcome-bad'} role="status">
          <p>{visibleLine(result.value.text)}</p>
          <ul>
            {result.value.files.map((file) => (
              <li key={file}>
                <code>{visibleLine(file)}</code>
              </li>
            ))}
          </ul>
        </div>
      )}
      {asking.value === 'merge' && (
        <ConfirmDialog
          title={`Merge ${id}?`}
          action="Merge"
          command={commands.merge}
          onConfirm={() => run('merge')}
          onClose={close}
        >
          <p>
            Cadre merges {plural(files.length, 'file')} into{' '}
            <code>{visibleLine(target ?? 'its folder')}</code>. If files conflict, or if uncommitted changes
            would be overwritten, Cadre lists them and does not change anything.
          </p>
        </ConfirmDialog>
      )}
      {asking.value === 'rollback' && (
        <ConfirmDialog
          title={
            step ? `Roll back the changes made by ${step.call}?` : `Roll back all changes made by ${id}?`
          }
          action="Roll back"
          isDangerous
          command={commands.rollback}
          onConfirm={() => run('rollback')}
          onClose={close}
        >
          <p>
            Cadre undoes the changes in the workspace with a new commit and keeps the history. It does not
            change the target folder: to undo changes that were already merged, merge again.
          </p>
        </ConfirmDialog>
      )}
      {asking.value === 'clean' && (
        <ConfirmDialog
          title={`Remove ${id}'s workspace?`}
          action="Remove"
          isDangerous
          command={commands.clean}
          onConfirm={() => run('clean')}
          onClose={close}
        >
          <p>Cadre removes the folder only if no changes would be lost. Otherwise, it lists them.</p>
        </ConfirmDialog>
      )}
    </div>
  )
}
