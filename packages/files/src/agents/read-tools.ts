import type { DelegateSelection, ToolSelection } from '@cadre/core'
import type { HeaderReader } from './header-reader.ts'
import { splitNames } from './split-names.ts'

export interface ToolKeys {
  readonly tools: ToolSelection
  readonly disallowed: readonly string[] | undefined
  readonly delegates: DelegateSelection | undefined
}

const none: ToolSelection = { kind: 'list', names: [] }

/** What an agent may use and start. Whatever is not understood gives less, never more. */
export function readTools(header: HeaderReader): ToolKeys {
  const selected = selection(header)
  const disallowed = disallowedTools(header)
  return {
    // Without knowing what is forbidden, nothing can be permitted.
    tools: disallowed === 'unclear' ? none : selected.tools,
    disallowed: disallowed === 'unclear' ? undefined : disallowed,
    delegates: both(targets(header), selected.targets),
  }
}

function selection(header: HeaderReader): { tools: ToolSelection; targets?: DelegateSelection } {
  const field = header.take('tools')
  if (field === undefined) return { tools: { kind: 'all' } }
  const written = splitNames(field)
  if (written === undefined) {
    header.report(
      'warning',
      'tools-unclear',
      field.line,
      'tools is neither a list of names nor text with commas, so the agent gets no tools.',
      'Write tools: [read_file, search_files], or remove the key to give all.',
    )
    return { tools: none }
  }
  const names: string[] = []
  const started: string[] = []
  let startsOnlySome = false
  for (const entry of written) {
    const scoped = /^([^()]*)\((.*)\)$/s.exec(entry)
    if (scoped === null && !/[()]/.test(entry)) {
      names.push(entry)
      continue
    }
    const name = scoped?.[1]?.trim() ?? ''
    if (!/^(agent|task)$/i.test(name)) {
      header.report(
        'warning',
        'tool-scope',
        field.line,
        `${entry} limits a tool to some uses, which cannot be held here, so the agent does not get it.`,
        `Write ${name || 'its name'} alone, and put the limit into the policy.`,
      )
      continue
    }
    names.push(name)
    startsOnlySome = true
    started.push(
      ...(scoped?.[2] ?? '')
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    )
  }
  const tools: ToolSelection = names.includes('*') ? { kind: 'all' } : { kind: 'list', names }
  if (!startsOnlySome) return { tools }
  return { tools, targets: started.includes('*') ? { kind: 'all' } : { kind: 'list', names: started } }
}

function disallowedTools(header: HeaderReader): readonly string[] | 'unclear' | undefined {
  const field = header.take('disallowedtools')
  if (field === undefined) return undefined
  const written = splitNames(field)
  if (written === undefined || written.includes('*')) {
    if (written === undefined)
      header.report(
        'warning',
        'disallowed-tools-unclear',
        field.line,
        'disallowedTools is neither a list of names nor text with commas, so the agent gets no tools.',
      )
    return 'unclear'
  }
  // `Bash(rm *)` forbids some uses of a tool; forbidding all of them is the next thing that holds.
  return written.map((entry) => entry.replace(/\(.*$/s, '').trim())
}

function targets(header: HeaderReader): DelegateSelection | undefined {
  const field = header.take('agents')
  if (field === undefined) return undefined
  const written = splitNames(field)
  if (written === undefined) {
    header.report(
      'warning',
      'agents-unclear',
      field.line,
      'agents is neither a list of names nor text with commas, so the agent may start nobody.',
    )
    return { kind: 'none' }
  }
  if (written.includes('*')) return { kind: 'all' }
  return written.length === 0 ? { kind: 'none' } : { kind: 'list', names: written }
}

/** Two keys can name the targets; only what both permit is permitted. */
function both(
  a: DelegateSelection | undefined,
  b: DelegateSelection | undefined,
): DelegateSelection | undefined {
  if (a === undefined || b === undefined) return a ?? b
  if (a.kind === 'none' || b.kind === 'none') return { kind: 'none' }
  if (a.kind === 'all') return b
  if (b.kind === 'all') return a
  const wanted = new Set(b.names.map((name) => name.toLowerCase()))
  const names = a.names.filter((name) => wanted.has(name.toLowerCase()))
  return names.length === 0 ? { kind: 'none' } : { kind: 'list', names }
}
