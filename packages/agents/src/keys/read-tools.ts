import { type DelegateSelection, didYouMean, type PermissionRule, type ToolSelection } from '@cadre/core'
import type { HeaderReader } from './header-reader.ts'
import { readDisallowed } from './read-disallowed.ts'
import { readPermission } from './read-permission.ts'
import { readTargets } from './read-targets.ts'
import { readToolList, reportUnusableScope, scopeRules, type ToolList } from './tool-list.ts'

export interface ToolKeys {
  readonly tools: ToolSelection
  readonly disallowed: readonly string[] | undefined
  readonly permissions: readonly PermissionRule[] | undefined
  readonly delegates: DelegateSelection | undefined
}

/** Reads which tools and agents an agent may use. An invalid value gives less, never more. */
export function readTools(header: HeaderReader): ToolKeys {
  const fields = [...header.takeAll('tools'), ...header.takeAll('allowedtools')]
  const lists = fields.map((field) => readToolList(field, header))
  const disallowed = readDisallowed(header)
  const permission = readPermission(header)
  const isUnclear =
    disallowed === 'unclear' || permission === 'unclear' || hasUnseen(header) || hooksAreLost(header)
  // A limit in the list and a separate rule would both have to apply, but only the last rule does.
  const canScope = lists.length <= 1 && permission.length === 0
  const selected = canScope ? lists : lists.map((list, index) => withoutScopes(list, fields[index], header))
  const without = [
    ...selected.flatMap((list) => list.without),
    ...forbiddenOf(disallowed),
    ...readOnly(header),
  ]
  const rules = [
    ...selected.flatMap((list) => scopeRules(list.scopes)),
    ...(permission === 'unclear' ? [] : permission),
    // Last, so that no other rule overrides them.
    ...(disallowed === 'unclear' ? [] : disallowed.rules),
  ]
  const targets = selected.flatMap((list) => (list.targets === undefined ? [] : [list.targets]))
  return {
    tools: isUnclear ? { kind: 'list', names: [] } : selectionOf(selected),
    disallowed: without.length === 0 ? undefined : [...new Set(without)],
    permissions: rules.length === 0 ? undefined : rules,
    delegates: readTargets(header, targets),
  }
}

/** Of several lists, only names in all of them. */
function selectionOf(lists: readonly ToolList[]): ToolSelection {
  const named = lists.map(({ names }) => names).filter((names) => names !== 'all')
  const [first, ...others] = named
  if (first === undefined) return { kind: 'all' }
  return { kind: 'list', names: first.filter((name) => others.every((names) => names.includes(name))) }
}

function withoutScopes(
  list: ToolList,
  field: { readonly line: number } | undefined,
  header: HeaderReader,
): ToolList {
  if (list.scopes.size === 0) return list
  for (const tool of list.scopes.keys()) reportUnusableScope(`${tool}(…)`, field?.line ?? 1, header)
  return {
    ...list,
    names: list.names === 'all' ? 'all' : list.names.filter((name) => !list.scopes.has(name)),
    // Everything except these, so these are excluded too.
    without: list.names === 'all' ? [...list.without, ...list.scopes.keys()] : list.without,
    scopes: new Map(),
  }
}

function forbiddenOf(disallowed: ReturnType<typeof readDisallowed>): readonly string[] {
  return disallowed === 'unclear' ? [] : disallowed.names
}

/** Modes of Claude Code that would permit more, which a file cannot grant itself. */
const openModes = ['default', 'acceptEdits', 'bypassPermissions', 'dontAsk', 'auto', 'delegate', 'manual']

/** In mode `plan`, an agent changes nothing. An unknown mode may mean the same. */
function readOnly(header: HeaderReader): readonly string[] {
  const mode = header.peek('permissionmode')
  const word = String(mode?.value ?? 'default').trim()
  const isPlan = word.toLowerCase() === 'plan'
  const isOpen = openModes.some((known) => known.toLowerCase() === word.toLowerCase())
  if (mode !== undefined && !isPlan) {
    const shown = JSON.stringify(mode.value)?.slice(0, 80)
    if (isOpen)
      header.report(
        'info',
        'permission-mode',
        mode.line,
        `permissionMode ${shown} has no effect: in Cadre, the policy and the user decide what an agent may do.`,
      )
    else {
      const known = ['plan', ...openModes]
      const message = `Unknown permissionMode ${shown}${didYouMean(word, known) || '.'} Cadre does not use this agent until you fix it.`
      header.report('error', 'permission-mode', mode.line, message, `Use one of: ${known.join(', ')}.`)
    }
  }
  return isPlan || header.restricts('readonly', true) === true ? ['edit', 'execute'] : []
}

function hasUnseen(header: HeaderReader): boolean {
  const unseen = header.unseen.filter(({ restricts }) => restricts === 'tools')
  for (const { key, line, isTorn } of unseen) {
    if (isTorn === true) reportTorn(header, line)
    else
      header.report(
        'warning',
        'key-unseen',
        line,
        `This looks like ${key}, but is not a header key. Until you fix it, the agent gets no tools.`,
        `Write ${key}: at the left margin, followed by a space.`,
      )
  }
  return unseen.length > 0
}

function reportTorn(header: HeaderReader, line: number): void {
  const message = 'The file ends inside the header, before any list of tools, so the agent gets no tools.'
  header.report('warning', 'header-torn', line, message, 'Complete the header, and end it with ---.')
}

/** Hooks can deny: an agent with unreadable hooks gets nothing that they could have denied. */
function hooksAreLost(header: HeaderReader): boolean {
  const hooks = header.peek('hooks')
  if (hooks?.isLoose !== true) return false
  header.report(
    'warning',
    'hooks-unclear',
    hooks.line,
    'The hooks key is not valid. Until you fix it, the agent gets no tools.',
    'Check its brackets, quotes and indentation.',
  )
  return true
}
