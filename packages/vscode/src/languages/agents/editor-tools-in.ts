/** The tools in the manifest of an extension. */
export interface ToolsManifest {
  readonly id: string
  readonly tools: readonly unknown[]
}

/**
 * The tools of other extensions in the form of agent files: `publisher.extension/toolReferenceName`. VS Code silently drops
 * the plain id of a tool. Only available tools (`names`) are included, and VS Code's own have other names.
 */
export function editorToolsIn(extensions: readonly ToolsManifest[], names: ReadonlySet<string>): string[] {
  return extensions.flatMap(({ id, tools }) =>
    /^github\.copilot/i.test(id)
      ? []
      : tools.flatMap((tool) => {
          if (typeof tool !== 'object' || tool === null) return []
          const { name, toolReferenceName } = tool as { name?: unknown; toolReferenceName?: unknown }
          const isThere = typeof name === 'string' && names.has(name)
          return isThere && typeof toolReferenceName === 'string' ? [`${id}/${toolReferenceName}`] : []
        }),
  )
}
