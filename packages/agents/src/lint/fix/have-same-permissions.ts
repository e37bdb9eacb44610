import type { AgentDefinition } from '@cadre/core'

/** The parts that determine what an agent may do. */
const permissionParts = [
  'tools',
  'disallowedTools',
  'permissions',
  'delegates',
  'models',
  'limits',
  'userInvocable',
  'modelInvocable',
  'requiredSections',
  'handoffs',
  'isolation',
  'background',
  'hooks',
  'mcpServers',
] as const satisfies readonly (keyof AgentDefinition)[]

/** True if two definitions permit the same. Names and prompts may differ. */
export function haveSamePermissions(a: AgentDefinition, b: AgentDefinition): boolean {
  return findDifference(a, b) === undefined
}

/** Returns the first part in which the permissions differ. */
export function findDifference(a: AgentDefinition, b: AgentDefinition): string | undefined {
  return permissionParts.find(
    (part) => canonical(a[part] ?? defaultParts[part]) !== canonical(b[part] ?? defaultParts[part]),
  )
}

/** The meaning of an absent part. */
const defaultParts: { readonly [part in (typeof permissionParts)[number]]?: unknown } = {
  userInvocable: true,
  modelInvocable: true,
}

/** As JSON with sorted keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value ?? null, (_, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
