import type { AgentDefinition } from '@cadre/core'

/** False for an agent whose file says so: `metadata: {cadre-instructions: 'false'}`. */
export function receivesInstructions({ unknown }: AgentDefinition): boolean {
  const metadata = unknown?.['metadata']
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return true
  return String((metadata as { readonly [key: string]: unknown })['cadre-instructions']) !== 'false'
}
