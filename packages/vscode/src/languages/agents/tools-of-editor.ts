/** What the manifest of an extension says about its tools. */
export interface ToolsManifest {
  readonly id: string
  readonly tools: readonly unknown[]
}

/**
 * The tools of other extensions as an agent file names them: `publisher.extension/toolReferenceName`. VS Code drops the plain id of
 * a tool without a word. Only tools that are there (`names`) count, and VS Code's own have other names.
 */
export function toolsOfEditor(extensions: readonly ToolsManifest[], names: ReadonlySet<string>): string[] {
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
