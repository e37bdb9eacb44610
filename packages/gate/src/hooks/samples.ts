import type { HookEvent } from '@cadre/agents'
import type { AgentDefinition, JudgedCall, SessionSpec, Tool } from '@cadre/core'
import type { Hook } from './hook.ts'
import { toHostCalls } from './host-calls.ts'
import type { MatchSubject } from './matches-hook.ts'
import type { HookOccurrence } from './payload.ts'

export interface SampleRequest {
  readonly event: HookEvent
  readonly workspace: string
  readonly agent: AgentDefinition
  readonly tool: Tool
  readonly input: unknown
  readonly created: string
}

/** A fictitious event with a complete payload. */
export interface Sample {
  readonly session: SessionSpec
  readonly subject: MatchSubject
  readonly happenings: (hook: Hook) => readonly HookOccurrence[]
}

const prompt = 'Say hello.'
const text = 'Hello.'

/** Returns the sample of each event, for `cadre hooks test` and the documentation. */
export function sampleOf(request: SampleRequest): Sample {
  const { event, tool, input } = request
  const session = sessionOf(request)
  const call: JudgedCall = {
    call: {
      id: 'call_sample',
      type: 'function',
      function: { name: tool.name, arguments: JSON.stringify(input) },
    },
    tool,
    input,
  }
  const plain = (happening: HookOccurrence, ...values: string[]): Sample => ({
    session,
    subject: values.length === 0 ? { kind: 'nothing' } : { kind: 'values', values },
    happenings: () => [happening],
  })
  const ofCall = (make: (said: ReturnType<typeof toHostCalls>[number]) => HookOccurrence): Sample => ({
    session,
    subject: { kind: 'call', call, session },
    happenings: (hook) => toHostCalls(call, hook, session.workspace).map(make),
  })
  const id = call.call.id
  switch (event) {
    case 'SessionStart':
      return plain({ event, source: 'startup', prompt }, 'startup', 'new')
    case 'SessionEnd':
      return plain({ event, reason: 'complete' }, 'complete', 'other')
    case 'UserPromptSubmit':
      return plain({ event, prompt })
    case 'PreToolUse':
    case 'PermissionRequest':
      return ofCall((said) => ({ event, call: id, said }))
    case 'PostToolUse':
      return ofCall((said) => ({ event, call: id, said, result: text }))
    case 'PostToolUseFailure':
      return ofCall((said) => ({ event, call: id, said, error: 'It did not work.' }))
    case 'SubagentStart':
      return plain({ event }, session.agent.name)
    case 'Stop':
      return plain({ event, text, active: false })
    case 'SubagentStop':
      return plain({ event, text, active: false }, session.agent.name)
    case 'PreCompact':
      return plain({ event }, 'auto')
    case 'Notification':
      return plain(
        { event, message: 'A decision is needed.', title: 'Permission needed', type: 'permission_prompt' },
        'permission_prompt',
      )
    case 'ErrorOccurred':
      return plain({ event, code: 'backend', message: 'The model did not answer.' })
  }
}

function sessionOf({ event, agent, workspace, created }: SampleRequest): SessionSpec {
  const isChild = event === 'SubagentStart' || event === 'SubagentStop'
  return {
    id: isChild ? 'sample-child' : 'sample',
    root: 'sample',
    agent,
    systemPrompt: '',
    model: 'sample',
    ...(isChild && { parent: { session: 'sample', call: 'call_delegation' } }),
    depth: isChild ? 1 : 0,
    chain: [agent.name],
    targets: [],
    completion: 'text',
    delegation: true,
    limits: { maxRounds: 1 },
    workspace,
    work: { content: prompt },
    created,
  }
}
