import {
  type AgentDefinition,
  defineTool,
  type JudgedCall,
  object,
  optional,
  type SessionSpec,
  string,
  type Tool,
} from '@cadre/core'
import { createTools } from '@cadre/tools'

export const never = new AbortController().signal

const lead: AgentDefinition = { name: 'lead', description: 'Leads', prompt: 'Lead.', tools: { kind: 'all' } }
const worker: AgentDefinition = {
  name: 'worker',
  description: 'Works',
  type: 'operator',
  prompt: 'Work.',
  tools: { kind: 'all' },
}

/** An entry session, or with `depth` a delegated one. */
export function sessionAt(workspace: string, depth = 0, part: Partial<SessionSpec> = {}): SessionSpec {
  const isChild = depth > 0
  return {
    id: isChild ? `worker-${depth}` : 'lead-1',
    root: 'lead-1',
    agent: isChild ? worker : lead,
    systemPrompt: '',
    model: 'scripted:test',
    ...(isChild && { parent: { session: depth === 1 ? 'lead-1' : `worker-${depth - 1}`, call: 'call_0' } }),
    depth,
    chain: ['lead', ...Array.from({ length: depth }, () => 'worker')],
    targets: [],
    completion: 'text',
    delegation: true,
    limits: { maxRounds: 30 },
    workspace,
    work: { content: 'Do it.' },
    created: '2026-01-02T03:04:05.000Z',
    ...part,
  }
}

const command = defineTool({
  name: 'execute_command',
  description: 'Run a command',
  class: 'execute',
  effect: 'execute',
  aliases: ['Bash', 'bash', 'run_in_terminal'],
  input: object({ command: string('The command'), cwd: optional(string('Where')) }),
  run: () => Promise.resolve({ content: 'ran' }),
}) as Tool

export const tools: readonly Tool[] = [
  command,
  ...createTools({ home: '/nowhere' }).filter(({ name }) => name !== 'execute_command'),
]

export function toolNamed(name: string): Tool {
  const tool = tools.find((one) => one.name === name)
  if (tool === undefined) throw new Error(`there is no tool ${name}`)
  return tool
}

export function callOf(name: string, input: unknown): JudgedCall {
  return {
    call: { id: 'call_1', type: 'function', function: { name, arguments: JSON.stringify(input) } },
    tool: toolNamed(name),
    input,
  }
}
