import type { Problem } from './protocol.ts'

/** What is wrong with a field, or with anything in it. */
export function problemsAt(problems: readonly Problem[], path: string): readonly Problem[] {
  return problems.filter(
    (problem) =>
      problem.path === path || problem.path.startsWith(`${path}.`) || problem.path.startsWith(`${path}[`),
  )
}

const labels: { readonly [field: string]: string } = {
  name: 'Name',
  systemPrompt: 'Instructions',
  description: 'Description',
  useFor: 'Use for',
  delegationPermissions: 'Delegation',
  toolPermissions: 'Tools',
  model: 'Model',
}

/** Where a problem is, as a person reads it. */
export function placeOf({ path }: Problem, names: readonly string[]): string {
  const [, index, field = ''] = /^agents\[(\d+)\](?:\.(\w+))?/.exec(path) ?? []
  if (index === undefined) return path === 'entryAgent' ? 'Entry agent' : 'Agents'
  const agent = names[Number(index)] || `Agent ${Number(index) + 1}`
  return field === '' ? agent : `${agent}, ${labels[field] ?? field}`
}

/** The agent that a problem is about. */
export function agentOf({ path }: Problem): number | undefined {
  const [, index] = /^agents\[(\d+)\]/.exec(path) ?? []
  return index === undefined ? undefined : Number(index)
}
