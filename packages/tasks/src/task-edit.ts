import type { RawText } from '@cadre/disk'

/** What became of a change of a text. */
export type TaskEdit =
  | { readonly kind: 'changed'; readonly raw: RawText }
  /** It says so already. */
  | { readonly kind: 'same' }
  /** No task has this id. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused'; readonly reason: string }

export function refused(reason: string): Extract<TaskEdit, { kind: 'refused' }> {
  return { kind: 'refused', reason }
}
