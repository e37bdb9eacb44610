import type { AgentDefinition, ToolContext } from '@cadre/core'

/** Where agents mirror their reports, below the workspace. */
export const artifactFolder = '.github/hooks/artifacts'

/** Names that Windows keeps for devices, whatever follows the dot. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/

/**
 * The one file that an agent may write whatever its boundary is, unless it may write none: relative to the workspace,
 * with `/`. Agents are told apart without case and so are their files; no name leads out of the folder.
 */
export function artifactOf({ name }: Pick<AgentDefinition, 'name'>): string {
  const plain = name
    .trim()
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/\s+/g, '-')
    // Letters of any script stay readable; every other sign is written as its number, so that no two names meet.
    .replaceAll(/[^\p{L}\p{M}\p{N}._-]/gu, (sign) => `%${sign.codePointAt(0)?.toString(16)}`)
    .replace(/^\./, '%2e')
  return `${artifactFolder}/${device.test(plain) ? `%${plain}` : plain}.md`
}

/** For the tools: the protected path that whoever calls may write all the same. Nothing for one that may write none. */
export function ownArtifact({
  agent,
  boundary,
}: Pick<ToolContext, 'agent' | 'boundary'>): string | undefined {
  return boundary?.writes === 'none' ? undefined : artifactOf({ name: agent })
}
