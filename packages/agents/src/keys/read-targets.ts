import { type DelegateSelection, nameKey } from '@cadre/core'
import type { Located } from '@cadre/disk'
import type { HeaderReader } from './header-reader.ts'
import { readNames } from './read-names.ts'

/** Reads which agents an agent may start. Of several lists, only names in all of them. */
export function readTargets(
  header: HeaderReader,
  /** The agents in `Agent(a, b)` among the tools. */
  inTools: readonly (readonly string[])[],
): DelegateSelection | undefined {
  const unseen = header.unseen.filter(({ restricts }) => restricts === 'agents')
  for (const { key, line } of unseen) {
    header.report(
      'warning',
      'key-unseen',
      line,
      `This looks like ${key}, but is not a header key. Until you fix it, the agent may not start other agents.`,
      `Write ${key}: at the left margin, followed by a space.`,
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
  return selections.length === 0 ? undefined : selections.reduce(intersectSelections)
}

function selectionOf(field: Located, header: HeaderReader): DelegateSelection {
  if (field.value === false) return { kind: 'none' }
  const written = readNames(field)
  if (written === undefined || written.dropped.length > 0) {
    header.report(
      'warning',
      'agents-unclear',
      written?.dropped[0]?.line ?? field.line,
      written === undefined
        ? 'agents must be a list of names or comma-separated text. Until you fix it, the agent may not start other agents.'
        : 'An entry in this list is not a name. Cadre ignores it.',
      'Write agents: [reviewer, tester].',
    )
  }
  const names = written?.names ?? []
  if (names.includes('*')) return { kind: 'all' }
  return names.length === 0 ? { kind: 'none' } : { kind: 'list', names }
}

function intersectSelections(a: DelegateSelection, b: DelegateSelection): DelegateSelection {
  if (a.kind === 'none' || b.kind === 'none') return { kind: 'none' }
  if (a.kind === 'all') return b
  if (b.kind === 'all') return a
  const wanted = new Set(b.names.map(nameKey))
  const names = a.names.filter((name) => wanted.has(nameKey(name)))
  return names.length === 0 ? { kind: 'none' } : { kind: 'list', names }
}
