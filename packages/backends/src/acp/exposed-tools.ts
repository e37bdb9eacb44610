import type { ToolOffer } from '@cadre/core'
import type { OfferedTool } from './offer-tools.ts'

/** Programs put a prefix such as `mcp__cadre__` before a name, and models accept at most 64 characters. */
const maxNameLength = 48

/** Returns the tools under names that every program accepts. */
export function exposedTools(tools: readonly ToolOffer[]): OfferedTool[] {
  return tools.map((offer, index) => ({
    name:
      offer.name.length <= maxNameLength ? offer.name : `${offer.name.slice(0, maxNameLength - 5)}_${index}`,
    offer,
  }))
}
