import { readAgentText } from '@cadre/agents'
import type { AgentDefinition } from '@cadre/core'
import { expect } from 'vitest'

type Given = Partial<AgentDefinition>

/** An agent file by its path and its header lines. */
export interface AgentText {
  readonly path: string
  readonly header: string
  /** The expected result of the loader. */
  readonly gives: Given
}

const at =
  (path: string) =>
  (header: string, gives: Given): AgentText => ({ path, header, gives })

export const copilot = at('.github/agents/subject.agent.md')
export const claude = at('.claude/agents/subject.md')
export const opencode = at('.opencode/agent/subject.md')
export const chatmode = at('.github/chatmodes/subject.chatmode.md')
export const template = at('.cadre/templates/subject.agent.yaml')

/** Loads the agent of a file. */
export function load({ path, header, gives }: AgentText): AgentDefinition {
  const keys = ['description: The subject', ...(header === '' ? [] : [header])]
  const lines = path.endsWith('.yaml')
    ? ['id: subject', 'system_prompt: You are the subject.', ...keys]
    : ['---', ...keys, '---', 'You are the subject.']
  const { agent, diagnostics } = readAgentText({ path, text: `${lines.join('\n')}\n` })
  if (agent === undefined) throw new Error(`${header}: ${JSON.stringify(diagnostics)}`)
  expect(agent).toMatchObject({ name: 'subject', ...gives })
  return agent
}
