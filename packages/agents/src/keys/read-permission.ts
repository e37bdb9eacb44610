import type { PermissionRule } from '@cadre/core'
import type { Located } from '@cadre/disk'
import type { HeaderReader } from './header-reader.ts'
import { rejectMisspelt } from './reject-misspelt.ts'

/**
 * Reads the rules of a file about uses of tools: a tool with an action, or with patterns that have one each. `unclear`: it
 * is unknown what is denied, so nothing is permitted.
 */
export function readPermission(header: HeaderReader): readonly PermissionRule[] | 'unclear' {
  const fields = header.takeAll('permission')
  const [field] = fields
  if (field === undefined) return []
  // Both lists would have to apply, but a later rule of one overrides an earlier rule of the other.
  if (fields.length > 1 || field.isLoose === true || usesMergeKey(field)) return unclear(field, header)
  if (typeof field.value === 'string') return [ruleOf('*', '*', field, header)]
  if (field.items !== undefined) return readRuleList(field, header)
  if (field.fields === undefined) return unclear(field, header)
  return [...field.fields].flatMap(([tool, part]) =>
    part.fields === undefined
      ? [ruleOf(tool, '*', part, header)]
      : [...part.fields].map(([pattern, action]) => ruleOf(tool, pattern, action, header)),
  )
}

/**
 * A list of `{tool, pattern, action}`, for rules whose order a mapping cannot express; or, in newer versions of opencode,
 * `{action, resource, effect}`.
 */
function readRuleList(field: Located, header: HeaderReader): readonly PermissionRule[] | 'unclear' {
  const rules: PermissionRule[] = []
  for (const { fields } of field.items ?? []) {
    const isNewer = fields?.has('effect') === true
    const tool = fields?.get(isNewer ? 'action' : 'tool')?.value
    const pattern = fields?.get(isNewer ? 'resource' : 'pattern')?.value ?? '*'
    const action = fields?.get(isNewer ? 'effect' : 'action')
    if (typeof tool !== 'string' || typeof pattern !== 'string' || action === undefined)
      return unclear(field, header)
    rules.push(ruleOf(tool, pattern, action, header))
  }
  return rules
}

function ruleOf(
  tool: string,
  pattern: string,
  { value, line }: Located,
  header: HeaderReader,
): PermissionRule {
  // A misspelt value permits nothing.
  if (value !== 'allow') rejectMisspelt(header, tool, line)
  if (value === 'allow' || value === 'ask' || value === 'deny') return { tool, pattern, action: value }
  header.report(
    'warning',
    'permission-action',
    line,
    `The permission for ${tool} must be allow, ask or deny, not ${JSON.stringify(value).slice(0, 80)}. Cadre uses deny.`,
    'Write allow, ask or deny.',
  )
  return { tool, pattern, action: 'deny' }
}

function unclear(field: Located, header: HeaderReader): 'unclear' {
  header.report(
    'warning',
    'permission-unclear',
    field.line,
    'The permission key is not valid. Until you fix it, the agent gets no tools.',
    'Write one tool and action per line, for example bash: ask.',
  )
  return 'unclear'
}

/** True if `<<` merges in keys, which opencode would read and Cadre does not. */
function usesMergeKey({ fields, items }: Located): boolean {
  if (fields?.has('<<') === true) return true
  return [...(fields?.values() ?? []), ...(items ?? [])].some(usesMergeKey)
}
