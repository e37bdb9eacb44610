import { checkSchema, defineTool, messageOf, type StandardSchema, type Tool } from '@cadre/core'
import * as vscode from 'vscode'
import { tokenOf } from '../run/token-of.ts'
import { type ListedTool, type PlannedTool, planTools } from './plan-tools.ts'
import { resultOfParts } from './result-of-parts.ts'

/** The tools of VS Code, its extensions and its MCP servers, for agents. The gate judges all their calls. */
export function vscodeTools(
  toolInvocationToken: vscode.ChatParticipantToolToken | undefined,
  log: Pick<vscode.LogOutputChannel, 'warn'>,
): Tool[] {
  const information = new Map(vscode.lm.tools.map((tool) => [tool.name, tool]))
  return planTools(listTools()).flatMap((planned) => {
    const tool = information.get(planned.listed)
    if (tool === undefined) return []
    try {
      return [toolOf(tool, planned, toolInvocationToken)]
    } catch (error) {
      log.warn(`The tool ${tool.name} cannot be offered to agents: ${messageOf(error)}`)
      return []
    }
  })
}

/** The tools of VS Code with data from the manifests of their extensions. */
function listTools(): ListedTool[] {
  const manifests = new Map<string, { readonly extension: string; readonly referenceName?: string }>()
  for (const { id, packageJSON } of vscode.extensions.all) {
    const tools: unknown = packageJSON?.contributes?.languageModelTools
    if (!Array.isArray(tools)) continue
    for (const tool of tools) {
      if (typeof tool?.name !== 'string') continue
      const { toolReferenceName: referenceName } = tool
      manifests.set(tool.name, { extension: id, ...(typeof referenceName === 'string' && { referenceName }) })
    }
  }
  return vscode.lm.tools.map(({ name }) => ({ name, ...manifests.get(name) }))
}

function toolOf(
  { name, description, inputSchema }: vscode.LanguageModelToolInformation,
  planned: PlannedTool,
  toolInvocationToken: vscode.ChatParticipantToolToken | undefined,
): Tool {
  const parameters = (inputSchema ?? { type: 'object', properties: {} }) as Tool['parameters']
  return defineTool<object>({
    name: planned.name,
    description: description || `The VS Code tool ${name}`,
    class: planned.effect === 'read' ? 'search' : 'other',
    effect: planned.effect,
    aliases: planned.aliases,
    parameters,
    input: inputOf(parameters),
    async run(input, _context, signal) {
      const cancel = tokenOf(signal)
      try {
        const options = { input, toolInvocationToken }
        const { content } = await vscode.lm.invokeTool(name, options, cancel.token)
        return resultOfParts(content)
      } catch (error) {
        // A stopped call has no result.
        if (signal.aborted) throw error
        return { content: failureText(name, error), failed: true }
      } finally {
        cancel.dispose()
      }
    },
  }) as Tool
}

function inputOf(schema: Tool['parameters']): StandardSchema<object> {
  return {
    '~standard': {
      version: 1,
      vendor: 'vscode',
      validate(value) {
        const issues = checkSchema(schema, value)
        return issues.length > 0 ? { issues } : { value: (value ?? {}) as object }
      },
    },
  }
}

function failureText(name: string, error: unknown): string {
  if (error instanceof vscode.CancellationError) return `${name} was cancelled in VS Code`
  return `${name} failed: ${messageOf(error)}`
}
