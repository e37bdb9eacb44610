import {
  type AgentDefinition,
  covers,
  type JsonObject,
  type Orchestrator,
  type Tool,
  toolsetOf,
} from '@cadre/core'
import { expandPrompt, findPromptFiles, type PromptFile } from '@cadre/knowledge'
import type { RunParts } from './load-parts.ts'

export interface PromptRequest {
  readonly prompt: PromptFile
  /** The text after the name. */
  readonly args: string
  readonly agent: AgentDefinition
}

/** The prompt files of a run, which are commands in a chat. */
export interface PromptCommands {
  /** Returns the current prompt files. */
  list(): readonly PromptFile[]
  /** Returns the message of a prompt file. Its commands run if the gate allows the agent to run them without approval. */
  expand(request: PromptRequest, signal: AbortSignal): Promise<string>
  /** Restricts the agent to the tools that the prompt file lists. */
  narrow(agent: AgentDefinition, prompt: PromptFile): AgentDefinition
}

export interface PromptCommandsOptions {
  readonly parts: Pick<RunParts, 'tools' | 'knowledge'>
  readonly orchestrator: Pick<Orchestrator, 'explain'>
  readonly workspace: string
}

export function createPromptCommands({
  parts,
  orchestrator,
  workspace,
}: PromptCommandsOptions): PromptCommands {
  const { tools, knowledge } = parts
  return {
    list: () => (knowledge === undefined ? [] : findPromptFiles(knowledge.placesOf(workspace)).prompts),
    expand({ prompt, args, agent }, signal) {
      const use = (name: string, input: JsonObject) => useTool(name, input, agent, signal)
      return expandPrompt(prompt, {
        args,
        workspace,
        async read(path) {
          const used = await use('read_file', { path })
          if (used.kind === 'refused') throw new Error(used.reason)
          return used.text
        },
        async run(command) {
          const used = await use('execute_command', { command })
          if (used.kind === 'done') return used.text
          return `[Cadre did not run this command: ${used.reason}. If you need its output, run it yourself: ${command}]`
        },
      })
    },
    narrow(agent, { tools: kept }) {
      if (kept === undefined) return agent
      const toolset = toolsetOf({ agent, tools, targets: [], completion: 'text' })
      const isKept = (tool: Tool) => kept.some((name) => name === '*' || covers(name, tool))
      const names = toolset.names().filter((name) => {
        const tool = toolset.find(name)?.tool
        return tool !== undefined && isKept(tool)
      })
      return { ...agent, tools: { kind: 'list', names } }
    },
  }

  /** Asks the same gate as a call of the agent. A call that needs approval is left to the agent, whose approvals are recorded. */
  async function useTool(name: string, input: JsonObject, agent: AgentDefinition, signal: AbortSignal) {
    const { verdict, session } = await orchestrator.explain(
      { chain: [agent], tool: name, input, workspace },
      signal,
    )
    const tool = tools.find((one) => one.name === name)
    if (tool === undefined) return { kind: 'refused', reason: `${name} is not available` } as const
    if (verdict.kind === 'ask') return { kind: 'refused', reason: 'it needs approval' } as const
    if (verdict.kind === 'deny') return { kind: 'refused', reason: verdict.reason } as const
    const call = 'prompt-file'
    const { boundary } = session.agent
    const context = {
      session: call,
      agent: agent.name,
      call,
      key: call,
      workspace,
      ...(boundary && { boundary }),
    }
    const { content, failed } = await tool.run(input, context, signal)
    return failed && name === 'read_file'
      ? ({ kind: 'refused', reason: content } as const)
      : ({ kind: 'done', text: content } as const)
  }
}
