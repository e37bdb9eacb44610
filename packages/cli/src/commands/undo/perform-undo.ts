import type { Undo } from '@cadre/runtime'
import type { UndoPlan, UndoRequest, UndoResult } from '@cadre/workspaces'
import { formatCount } from '../../output/numbers.ts'
import { conflictText, planText } from './undo-text.ts'

export interface PerformUndoRequest {
  readonly undo: Undo
  readonly request: UndoRequest
  readonly force?: boolean | undefined
  readonly skip?: boolean | undefined
  /** How the user redoes it: `cadre redo`, or `/redo` in a chat. */
  readonly redo: string
  /** Shows text that ends with a line break. */
  readonly show: (text: string) => void
  /** Asks the user. `question` ends with a space. */
  readonly confirm: (question: string) => Promise<boolean>
}

export type UndoOutcome =
  | Exclude<UndoResult, { kind: 'busy' }>
  /** The user said no. */
  | { readonly kind: 'declined'; readonly plan: UndoPlan }

/**
 * Undoes or redoes a turn: shows the files, asks, applies it and shows the result. For `cadre undo` and `/undo` in a chat.
 * Rejects with `owned` while the session, or a call in the folder, is running.
 */
export async function performUndo(wanted: PerformUndoRequest): Promise<UndoOutcome> {
  const { undo, request, force, skip, redo, show, confirm } = wanted
  const planned = await undo.plan(request)
  if (planned.kind === 'nothing') {
    show(`${planned.reason}\n`)
    return planned
  }
  const { plan } = planned
  show(planText(plan))
  const { conflicts, incomplete, direction } = plan
  const isBlocked =
    !skip && (conflicts.some(({ canForce }) => !(force && canForce)) || (incomplete !== undefined && !force))
  if (isBlocked) {
    show(conflictText(plan))
    return { kind: 'refused', plan }
  }
  const question = direction === 'undo' ? 'Undo these changes? y/N: ' : 'Restore these changes? y/N: '
  if (!(await confirm(question))) return { kind: 'declined', plan }
  const applied = await undo.apply(plan, { force, skip })
  if (applied.kind === 'nothing') show(`${applied.reason}\n`)
  else if (applied.kind === 'refused') show(conflictText(applied.plan))
  else {
    const { files } = applied.plan
    const done = formatCount(files.length - applied.skipped.length, 'file')
    const left =
      applied.skipped.length === 0 ? '' : ` ${formatCount(applied.skipped.length, 'changed file')} kept.`
    const next = direction === 'undo' ? 'Undone: ' : 'Redone: '
    const back = direction === 'undo' ? ` Restore the changes with "${redo}".` : ''
    show(`${next}${done} restored.${left}${back}\n`)
  }
  return applied
}
