import type { AgentDefinition, ToolContext } from '@cadre/core'

/** The folder with copies of agents' reports, relative to the workspace. */
export const artifactFolder = '.github/hooks/artifacts'

/** Names that Windows reserves for devices, with any extension. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/

/**
 * Returns the one file that an agent may write despite its boundary, unless it may write nothing: relative to the
 * workspace, with `/`. Agent names and their files are case-insensitive. No name can point outside the folder.
 */
export function artifactOf({ name }: Pick<AgentDefinition, 'name'>): string {
  const plain = name
    .trim()
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/\s+/g, '-')
    // Letters of any script stay readable; every other character is encoded as its number, so that names cannot collide.
    .replaceAll(/[^\p{L}\p{M}\p{N}._-]/gu, (sign) => `%${sign.codePointAt(0)?.toString(16)}`)
    .replace(/^\./, '%2e')
  return `${artifactFolder}/${device.test(plain) ? `%${plain}` : plain}.md`
}

/** For tools: returns the protected path that the caller may write anyway, or undefined if it may write nothing. */
export function ownArtifact({
  agent,
  boundary,
}: Pick<ToolContext, 'agent' | 'boundary'>): string | undefined {
  return boundary?.writes === 'none' ? undefined : artifactOf({ name: agent })
}
