import type { RawText } from '@cadre/disk'

/** The result of an edit. */
export type TaskEdit =
  | { readonly kind: 'changed'; readonly raw: RawText }
  /** The text already has this value. */
  | { readonly kind: 'same' }
  /** No task has this id. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused'; readonly reason: string }

export function refusedEdit(reason: string): Extract<TaskEdit, { kind: 'refused' }> {
  return { kind: 'refused', reason }
}
