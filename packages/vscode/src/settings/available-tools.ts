import type { Tool } from '@cadre/core'
import type { Services } from '../services.ts'

/** The tools that agents would have now. */
export interface AvailableTools {
  readonly builtIn: readonly Tool[]
  /** Tools of VS Code, its extensions and its MCP servers that go beyond built-in ones. */
  readonly editor: readonly Tool[]
  readonly all: readonly Tool[]
}

export async function availableTools({ log }: Pick<Services, 'log'>): Promise<AvailableTools> {
  const [{ combineTools, createTools }, { teamTools }, { vscodeTools }] = await Promise.all([
    import('@cadre/tools'),
    import('@cadre/core'),
    import('../tools/vscode-tools.ts'),
  ])
  const builtIn = [...createTools(), ...teamTools]
  const editor = vscodeTools(undefined, log).map((tool) => ({ ...tool, origin: 'editor' as const }))
  return { builtIn, editor, all: combineTools([builtIn, editor]).tools }
}
