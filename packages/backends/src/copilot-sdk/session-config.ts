import type { ToolOffer } from '@cadre/core'
import type { SdkProvider, SdkSessionConfig, SdkTool } from './sdk-types.ts'

export interface SdkSessionSetup {
  readonly model: string
  readonly multiplier: number | undefined
  readonly provider: SdkProvider | undefined
  /** The model may start subagents of the runtime. Their calls count as calls of the session. */
  readonly subagents: boolean
}

interface SessionParts extends Pick<SdkSessionConfig, 'onEvent' | 'onPermissionRequest'> {
  readonly id: string
  /** The private folder of the runtime. */
  readonly folder: string
  readonly setup: SdkSessionSetup
  readonly system: string
  readonly tools: readonly ToolOffer[]
  readonly onPreToolUse: SdkSessionConfig['hooks']['onPreToolUse']
}

/** The tool of the runtime that starts a subagent. */
export const subagentTool = 'task'

const builtinAgents = ['explore', 'task', 'code-review', 'research', 'security-review', 'rubber-duck']

/** The configuration of a runtime session with Cadre's tools and prompt, and without those of the runtime or the user. */
export function sessionConfig(parts: SessionParts): SdkSessionConfig {
  const { id, folder, setup, system, tools, onEvent, onPermissionRequest, onPreToolUse } = parts
  const { model, provider, subagents } = setup
  const ours = tools.map(({ name }) => `custom:${name}`)
  const hasSubagents = subagents && !tools.some(({ name }) => name === subagentTool)
  return {
    sessionId: id,
    model,
    clientName: 'cadre',
    // The runtime knows nothing about custom servers, and would omit images.
    ...(provider !== undefined && { provider, modelCapabilities: { supports: { vision: true } } }),
    tools: tools.map(toolOf),
    availableTools: hasSubagents ? [...ours, `builtin:${subagentTool}`] : ours,
    systemMessage: { mode: 'replace', content: system },
    streaming: true,
    workingDirectory: folder,
    // The loop handles compaction, large results and tool selection.
    infiniteSessions: { enabled: false },
    largeOutput: { enabled: false },
    toolSearch: { enabled: false },
    excludedBuiltinAgents: hasSubagents ? builtinAgents : [...builtinAgents, 'general-purpose'],
    customAgents: [],
    mcpServers: {},
    // With an account, it would connect to this server by default.
    disabledMcpServers: ['github-mcp-server'],
    enableConfigDiscovery: false,
    enableFileHooks: false,
    enableSkills: false,
    enableSessionStore: false,
    enableSessionTelemetry: false,
    enableHostGitOperations: false,
    enableOnDemandInstructionDiscovery: false,
    skipCustomInstructions: true,
    memory: { enabled: false },
    onEvent,
    onPermissionRequest,
    hooks: { onPreToolUse },
  }
}

function toolOf({ name, description, parameters }: ToolOffer): SdkTool {
  return {
    name,
    description,
    // The runtime silently drops a tool whose input is not an object with properties.
    parameters: { properties: {}, ...parameters, type: 'object' },
    overridesBuiltInTool: true,
    defer: 'never',
  }
}
