import type { HeaderReader } from './header-reader.ts'
import { readNames } from './read-names.ts'

/** Reads the headings that a report must have. */
export function readSections(header: HeaderReader): readonly string[] | undefined {
  const field = header.take('requiredsections')
  if (field === undefined) return undefined
  // In a list a heading may contain a comma.
  const sections = field.items === undefined ? readNames(field)?.names : field.items.map((item) => item.value)
  if (sections?.every((section) => typeof section === 'string')) return sections
  header.wrong('requiredsections', field, 'must be a list of headings')
  return undefined
}

export function readIsolation(header: HeaderReader): 'shared' | 'workspace' | undefined {
  const field = header.take('isolation')
  if (field === undefined) return undefined
  if (field.value === 'shared' || field.value === 'workspace') return field.value
  if (field.value === 'worktree') return 'workspace'
  header.wrong('isolation', field, 'must be shared or workspace')
  return undefined
}
