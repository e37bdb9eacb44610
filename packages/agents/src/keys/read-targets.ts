import { type DelegateSelection, nameKey } from '@cadre/core'
import type { Located } from '@cadre/disk'
import type { HeaderReader } from './header-reader.ts'
import { namesOf } from './names-of.ts'

/** Whom an agent may start, where its file says so. Of several lists only what all of them name. */
export function readTargets(
  header: HeaderReader,
  /** What `Agent(a, b)` among the tools says. */
  inTools: readonly (readonly string[])[],
): DelegateSelection | undefined {
  const unseen = header.unseen.filter(({ restricts }) => restricts === 'agents')
  for (const { key, line } of unseen) {
    header.report(
      'warning',
      'key-unseen',
      line,
      `This seems to be meant as ${key}, and is no key of the header, so the agent may start nobody.`,
      `Write ${key}: at the left margin, with a space behind it.`,
    )
  }
  const keys = [...header.takeAll('agents'), ...header.takeAll('subagents')]
  const selections = [
    ...unseen.map((): DelegateSelection => ({ kind: 'none' })),
    ...keys.map((field) => selectionOf(field, header)),
    ...inTools.map(
      (names): DelegateSelection => (names.includes('*') ? { kind: 'all' } : { kind: 'list', names }),
    ),
  ]
  return selections.length === 0 ? undefined : selections.reduce(both)
}

function selectionOf(field: Located, header: HeaderReader): DelegateSelection {
  if (field.value === false) return { kind: 'none' }
  const written = namesOf(field)
  if (written === undefined || written.dropped.length > 0) {
    header.report(
      'warning',
      'agents-unclear',
      written?.dropped[0]?.line ?? field.line,
      written === undefined
        ? 'agents is neither a list of names nor text with commas, so the agent may start nobody.'
        : 'Something in this list is no name, so it was left out.',
      'Write agents: [reviewer, tester].',
    )
  }
  const names = written?.names ?? []
  if (names.includes('*')) return { kind: 'all' }
  return names.length === 0 ? { kind: 'none' } : { kind: 'list', names }
}

function both(a: DelegateSelection, b: DelegateSelection): DelegateSelection {
  if (a.kind === 'none' || b.kind === 'none') return { kind: 'none' }
  if (a.kind === 'all') return b
  if (b.kind === 'all') return a
  const wanted = new Set(b.names.map(nameKey))
  const names = a.names.filter((name) => wanted.has(nameKey(name)))
  return names.length === 0 ? { kind: 'none' } : { kind: 'list', names }
}
