import type { Tool } from '@cadre/core'
import * as vscode from 'vscode'

/** The tools that agents would have now: those of the engine and, by name, those of VS Code. None of them is to be run. */
export async function toolsHere(): Promise<{
  readonly builtIn: readonly Tool[]
  readonly all: readonly Tool[]
}> {
  const [{ combineTools, createTools }, { teamTools, understandTool }] = await Promise.all([
    import('@cadre/tools'),
    import('@cadre/core'),
  ])
  const builtIn = [...createTools(), ...teamTools]
  const editor = vscode.lm.tools.flatMap(({ name, description, inputSchema }): Tool[] => {
    const { kind } = understandTool(name)
    if (name.startsWith('copilotMultiAgent_') || kind === 'tools' || kind === 'class') return []
    const parameters = (inputSchema ?? { type: 'object' }) as Tool['parameters']
    const input = {
      '~standard': { version: 1 as const, vendor: 'vscode', validate: (value: unknown) => ({ value }) },
    }
    const run = () => Promise.reject(new Error('unreachable: it is only looked at'))
    // No class has it: it is given by name only, or with all tools.
    return [
      {
        name,
        description,
        class: 'other' as Tool['class'],
        effect: 'outbound',
        input,
        parameters,
        run,
        origin: 'editor',
      },
    ]
  })
  return { builtIn, all: combineTools([builtIn, editor]).tools }
}
