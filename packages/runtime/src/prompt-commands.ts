import { randomUUID } from 'node:crypto'
import {
  type AgentDefinition,
  type Json,
  type JsonObject,
  type Orchestrator,
  ruleCoversTool,
  type Tool,
  toolsetOf,
} from '@cadre/core'
import { type AuditLog, promptAllowances, trustItemOfPromptFile, withPreapprovedRules } from '@cadre/gate'
import { expandPrompt, findPromptFiles, type PromptFile } from '@cadre/knowledge'
import type { RunParts } from './run-parts.ts'

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
  /**
   * The agent as the prompt file wants it: with those of its tools that `tools` lists, and without approval for what `allowed-tools` lists.
   * A file of the project allows something only after a person has agreed to it.
   */
  narrow(agent: AgentDefinition, prompt: PromptFile): AgentDefinition
}

export interface PromptCommandsOptions {
  readonly parts: Pick<RunParts, 'tools' | 'knowledge' | 'trusts'>
  readonly orchestrator: Pick<Orchestrator, 'explain'>
  readonly workspace: string
  /** The person who sends prompts. */
  readonly person: string | undefined
  readonly log: AuditLog
}

export function createPromptCommands({
  parts,
  orchestrator,
  workspace,
  person,
  log,
}: PromptCommandsOptions): PromptCommands {
  const { tools, knowledge } = parts
  return {
    list: () => (knowledge === undefined ? [] : findPromptFiles(knowledge.placesOf(workspace)).prompts),
    expand({ prompt, args, agent }, signal) {
      const use = (name: string, input: JsonObject) => useTool(name, input, { prompt, agent }, signal)
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
    narrow(agent, prompt) {
      const narrowed = withTools(agent, prompt.tools)
      const item = trustItemOfPromptFile(prompt)
      const rules = item === undefined || parts.trusts(item) ? promptAllowances(prompt) : []
      return rules.length === 0 ? narrowed : withPreapprovedRules(narrowed, rules)
    },
  }

  function withTools(agent: AgentDefinition, kept: readonly string[] | undefined): AgentDefinition {
    if (kept === undefined) return agent
    const toolset = toolsetOf({ agent, tools, targets: [], completion: 'text' })
    const isKept = (tool: Tool) => kept.some((name) => name === '*' || ruleCoversTool(name, tool))
    const names = toolset.names().filter((name) => {
      const tool = toolset.find(name)?.tool
      return tool !== undefined && isKept(tool)
    })
    return { ...agent, tools: { kind: 'list', names } }
  }

  /** Asks the same gate as a call of the agent. A call that needs approval is left to the agent, whose approvals are recorded. */
  async function useTool(
    name: string,
    input: JsonObject,
    { prompt, agent }: Pick<PromptRequest, 'prompt' | 'agent'>,
    signal: AbortSignal,
  ) {
    const { verdict, session } = await orchestrator.explain(
      { chain: [agent], tool: name, input, workspace },
      signal,
    )
    const call = `prompt-${randomUUID()}`
    const note = (type: string, facts: { readonly [field: string]: Json }) =>
      log.append({ at: new Date().toISOString(), type, prompt: prompt.shown, call, ...facts })
    note('call.judged', {
      ...(person !== undefined && { person }),
      agent: agent.name,
      tool: name,
      input,
      decision: verdict.kind,
      by: verdict.by,
      rule: verdict.rule,
      ...(verdict.kind !== 'allow' && { reason: verdict.reason }),
    })
    const refused = (reason: string) => {
      note('call.settled', { outcome: 'refused' })
      return { kind: 'refused', reason } as const
    }
    const tool = tools.find((one) => one.name === name)
    if (tool === undefined) return refused(`${name} is not available`)
    if (verdict.kind === 'ask') return refused('the command needs approval')
    if (verdict.kind === 'deny') return refused(verdict.reason)
    const { boundary } = session.agent
    const context = {
      session: call,
      agent: agent.name,
      call,
      key: call,
      workspace,
      ...(boundary && { boundary }),
    }
    const { content, failed } = await tool.run(input, context, signal).catch((error) => {
      note('call.settled', { outcome: signal.aborted ? 'cancelled' : 'failed' })
      throw error
    })
    note('call.settled', { outcome: failed ? 'failed' : 'done' })
    return failed && name === 'read_file'
      ? ({ kind: 'refused', reason: content } as const)
      : ({ kind: 'done', text: content } as const)
  }
}
