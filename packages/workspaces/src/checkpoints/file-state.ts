/** What is at a path of a folder: enough to restore it exactly, unless it is `unstored`. */
export type FileState =
  | { readonly kind: 'absent' }
  /** `mode`: all permission bits. `object`: the id of the content in the store. */
  | { readonly kind: 'file'; readonly mode: number; readonly size: number; readonly object: string }
  /** A symbolic link, never followed. `target` has one character for each byte. */
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'folder' }
  /** Its content is not stored. The stamp shows whether it has changed. */
  | { readonly kind: 'unstored'; readonly why: NotStoredReason; readonly stamp: string }

/** `lost`: the content was only in the project's repository, which has removed it. */
export type NotStoredReason = 'large' | 'unreadable' | 'special' | 'lost'

export const absentState: FileState = { kind: 'absent' }
export const folderState: FileState = { kind: 'folder' }

export function isSameState(a: FileState, b: FileState): boolean {
  switch (a.kind) {
    case 'file':
      return b.kind === 'file' && a.mode === b.mode && a.object === b.object
    case 'link':
      return b.kind === 'link' && a.target === b.target
    case 'unstored':
      return b.kind === 'unstored' && a.stamp === b.stamp
    default:
      return a.kind === b.kind
  }
}
