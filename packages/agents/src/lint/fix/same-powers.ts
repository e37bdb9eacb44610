import type { AgentDefinition } from '@cadre/core'

/** The parts that determine what an agent may do. */
const powers = [
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
export function permitTheSame(a: AgentDefinition, b: AgentDefinition): boolean {
  return powerThatDiffers(a, b) === undefined
}

/** Returns the first part in which the permissions differ. */
export function powerThatDiffers(a: AgentDefinition, b: AgentDefinition): string | undefined {
  return powers.find((part) => canonical(a[part] ?? standard[part]) !== canonical(b[part] ?? standard[part]))
}

/** The meaning of an absent part. */
const standard: { readonly [part in (typeof powers)[number]]?: unknown } = {
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
