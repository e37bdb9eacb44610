import { Refusal } from '../refusal.ts'
import type { Edit } from './apply-edits.ts'
import type { EditInput } from './edit-input.ts'
import { type Hunk, parsePatch } from './parse-patch.ts'

/** A change of a call to one file. */
export type FileChange =
  | { readonly kind: 'edit'; readonly path: string; readonly edits: readonly Edit[] }
  | { readonly kind: 'add'; readonly path: string; readonly content: string; readonly overEmpty?: boolean }
  | { readonly kind: 'delete'; readonly path: string }
  | {
      readonly kind: 'update'
      readonly path: string
      readonly moveTo?: string
      readonly hunks: readonly Hunk[]
    }

export function changesOf(input: EditInput): FileChange[] {
  if (input.patch !== undefined) {
    const parsed = parsePatch(input.patch)
    if ('fault' in parsed) throw new Refusal(`The patch ${parsed.fault}.`)
    return [...parsed.files]
  }
  const { path, old = '', new: replacement = '', all } = input
  const edits = input.edits ?? [{ old, new: replacement, all }]
  const byPath = new Map<string, Edit[]>()
  for (const edit of edits) {
    const target = ('path' in edit ? edit.path : undefined) ?? path ?? ''
    const sofar = byPath.get(target)
    if (sofar === undefined) byPath.set(target, [edit])
    else sofar.push(edit)
  }
  return [...byPath].map(([target, list]) => {
    const [first] = list
    // Some dialects create a file this way.
    if (list.length === 1 && first?.old === '') {
      return { kind: 'add', path: target, content: first.new, overEmpty: true }
    }
    return { kind: 'edit', path: target, edits: list }
  })
}

export function pathsOf(change: FileChange): string[] {
  return change.kind === 'update' && change.moveTo !== undefined
    ? [change.path, change.moveTo]
    : [change.path]
}
