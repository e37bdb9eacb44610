import type { AgentDefinition } from '@cadre/core'

/** Everything that decides what an agent may do and what happens in its name. */
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

/** Whether two definitions permit the same. What they are called and what they are told may differ. */
export function permitTheSame(a: AgentDefinition, b: AgentDefinition): boolean {
  return powerThatDiffers(a, b) === undefined
}

/** The first part in which two definitions permit something else. */
export function powerThatDiffers(a: AgentDefinition, b: AgentDefinition): string | undefined {
  return powers.find((part) => canonical(a[part] ?? standard[part]) !== canonical(b[part] ?? standard[part]))
}

/** What an absent part means. */
const standard: { readonly [part in (typeof powers)[number]]?: unknown } = {
  userInvocable: true,
  modelInvocable: true,
}

/** As JSON, with the keys of maps in one order. */
function canonical(value: unknown): string {
  return JSON.stringify(value ?? null, (_, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
