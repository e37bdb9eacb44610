import type { Located } from '@cadre/disk'
import type { HeaderEntry } from './find-unread-restrictions.ts'
import { plainKey } from './known-keys.ts'

/** Lists of tools that some files nest in a group, such as `capabilities: {allowed_tools: […]}`. */
const lists = new Set(
  'allowedtools disallowedtools deniedtools excludedtools excludetools blockedtools restrictedtools'.split(
    ' ',
  ),
)
/** Groups whose keys do not describe the agent. */
const unrelatedGroups = new Set(
  'hooks mcpservers mcp handoffs metadata options sidekick triggers otherkeys'.split(' '),
)
/** Groups that contain only tools: a list moved out of them is not a tool. */
const toolGroups = new Set(['tools', 'permission', 'permissions'])

/** Moves nested lists of tools to the top level of a header. */
export function moveNestedToolsUp(entries: readonly HeaderEntry[]): readonly HeaderEntry[] {
  if (!entries.some(containsList)) return entries
  return entries.flatMap((entry) => {
    if (!containsList(entry)) return [entry]
    const nested = [...(entry.field.fields ?? [])]
    const lifted = nested
      .filter(([name, field]) => isList(name, field))
      .map(([written, field]) => ({ written, field }))
    if (!toolGroups.has(plainKey(entry.written))) return [entry, ...lifted]
    const rest = nested.filter(([name, field]) => !isList(name, field))
    return rest.length === 0 ? lifted : [{ ...entry, field: groupOf(entry.field, rest) }, ...lifted]
  })
}

function containsList({ written, field }: HeaderEntry): boolean {
  if (field.fields === undefined || unrelatedGroups.has(plainKey(written))) return false
  return [...field.fields].some(([name, nested]) => isList(name, nested))
}

function isList(name: string, { value, items }: Located): boolean {
  return lists.has(plainKey(name)) && (items !== undefined || typeof value === 'string')
}

function groupOf(field: Located, rest: readonly (readonly [string, Located])[]): Located {
  return {
    ...field,
    fields: new Map(rest),
    value: Object.fromEntries(rest.map(([name, { value }]) => [name, value])),
  }
}
