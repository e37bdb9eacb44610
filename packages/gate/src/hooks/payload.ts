import type { HookEvent } from '@cadre/agents'
import type { Json, JsonObject, SessionSpec } from '@cadre/core'
import type { Hook } from './hook.ts'
import type { HostCall } from './host-calls.ts'

export type SessionEndReason = 'complete' | 'error' | 'abort' | 'timeout'

/** An event, before it is translated to a dialect. */
export type HookOccurrence =
  | { readonly event: 'SessionStart'; readonly source: 'startup' | 'resume'; readonly prompt: string }
  | { readonly event: 'SessionEnd'; readonly reason: SessionEndReason }
  | { readonly event: 'UserPromptSubmit'; readonly prompt: string }
  | { readonly event: 'PreToolUse' | 'PermissionRequest'; readonly call: string; readonly said: HostCall }
  | { readonly event: 'PostToolUse'; readonly call: string; readonly said: HostCall; readonly result: string }
  | {
      readonly event: 'PostToolUseFailure'
      readonly call: string
      readonly said: HostCall
      readonly error: string
    }
  | { readonly event: 'SubagentStart' }
  | { readonly event: 'Stop' | 'SubagentStop'; readonly text: string; readonly active: boolean }
  | { readonly event: 'PreCompact' }
  | {
      readonly event: 'Notification'
      readonly message: string
      readonly title: string
      readonly type: string
    }
  | { readonly event: 'ErrorOccurred'; readonly code: string; readonly message: string }

export interface PayloadContext {
  readonly session: SessionSpec
  /** Milliseconds since 1970. */
  readonly now: number
  /** Returns the file of a session, if known. */
  readonly transcript: (session: string) => string | undefined
}

/** `claude` and `vscode` have one format each, the Copilot CLI has two: the spelling of the event selects one. */
export type PayloadFormat = 'vscode' | 'copilot-camel' | 'copilot-snake' | 'claude'

/** Events that VS Code does not have. Its files get the payload of the Copilot CLI for that spelling. */
const notInVscode: ReadonlySet<HookEvent> = new Set([
  'SessionEnd',
  'PostToolUseFailure',
  'PermissionRequest',
  'Notification',
  'ErrorOccurred',
])

function formatOf({ dialect, casing, event }: Pick<Hook, 'dialect' | 'casing' | 'event'>): PayloadFormat {
  if (dialect === 'claude') return 'claude'
  if (casing === 'camel') return 'copilot-camel'
  return dialect === 'copilot' || notInVscode.has(event) ? 'copilot-snake' : 'vscode'
}

/** Builds the payload of a hook: exactly the keys that its host documents, plus the identity of a delegated session. */
export function payloadFor(
  hook: Pick<Hook, 'dialect' | 'casing' | 'event'>,
  happening: HookOccurrence,
  context: PayloadContext,
): JsonObject {
  const format = formatOf(hook)
  const told = { ...common(format, happening.event, context), ...ofEvent(format, happening, context) }
  return context.session.parent === undefined ? told : { ...told, ...agentOf(format, context.session) }
}

function common(
  format: PayloadFormat,
  event: HookEvent,
  { session, now, transcript }: PayloadContext,
): JsonObject {
  const cwd = session.workspace
  const file = transcript(session.root)
  const timestamp = new Date(now).toISOString()
  switch (format) {
    case 'vscode':
      return {
        timestamp,
        cwd,
        session_id: session.root,
        hook_event_name: event,
        ...(file !== undefined && { transcript_path: file }),
      }
    case 'copilot-camel':
      return { sessionId: session.root, timestamp: now, cwd }
    case 'copilot-snake':
      return { hook_event_name: event, session_id: session.root, timestamp, cwd }
    case 'claude':
      return {
        session_id: session.root,
        transcript_path: file ?? '',
        cwd,
        permission_mode: 'default',
        hook_event_name: event,
      }
  }
}

function ofEvent(format: PayloadFormat, happening: HookOccurrence, context: PayloadContext): JsonObject {
  const { session } = context
  const isCopilot = format === 'copilot-camel' || format === 'copilot-snake'
  const spell = (fields: JsonObject) => (format === 'copilot-camel' ? fields : snakeKeys(fields))
  // In the Copilot CLI only some events include it; the other two always do.
  const transcript = isCopilot ? { transcriptPath: context.transcript(session.id) ?? '' } : {}
  switch (happening.event) {
    case 'SessionStart':
      if (format === 'vscode') return { source: happening.source === 'startup' ? 'new' : happening.source }
      if (format === 'claude') return { source: happening.source, model: session.model }
      return spell({
        source: happening.source === 'startup' ? 'new' : happening.source,
        initialPrompt: happening.prompt,
      })
    case 'SessionEnd':
      return { reason: format === 'claude' ? 'other' : happening.reason }
    case 'UserPromptSubmit':
      return { prompt: happening.prompt }
    case 'PreToolUse':
    case 'PermissionRequest':
    case 'PostToolUse':
    case 'PostToolUseFailure':
      return ofCall(format, happening)
    case 'SubagentStart':
      return isCopilot
        ? spell({
            ...transcript,
            agentName: session.agent.name,
            agentDisplayName: session.agent.name,
            agentDescription: session.agent.description,
          })
        : {}
    case 'Stop':
      if (isCopilot)
        return {
          ...spell({ ...transcript, stopReason: 'end_turn' }),
          stop_hook_active: happening.active,
        }
      return {
        stop_hook_active: happening.active,
        ...(format === 'claude' && { last_assistant_message: happening.text }),
      }
    case 'SubagentStop':
      if (isCopilot) {
        const text =
          format === 'copilot-camel'
            ? { response: happening.text }
            : { last_assistant_message: happening.text }
        return {
          ...spell({ ...transcript, agentDisplayName: session.agent.name, stopReason: 'end_turn' }),
          ...text,
        }
      }
      return {
        stop_hook_active: happening.active,
        ...(format === 'claude' && {
          agent_transcript_path: context.transcript(session.id) ?? '',
          last_assistant_message: happening.text,
        }),
      }
    case 'PreCompact':
      if (format === 'vscode') return { trigger: 'auto' }
      if (format === 'claude') return { trigger: 'auto', custom_instructions: null }
      return spell({ ...transcript, trigger: 'auto', customInstructions: '' })
    case 'Notification':
      // The only payload of the Copilot CLI that mixes both spellings.
      return {
        ...(format === 'copilot-camel' && { hook_event_name: 'Notification' }),
        message: happening.message,
        title: happening.title,
        notification_type: happening.type,
      }
    case 'ErrorOccurred': {
      const error = { message: happening.message, name: happening.code }
      if (format === 'claude') return { error, error_context: contextOf(happening.code), recoverable: false }
      return { error, ...spell({ errorContext: contextOf(happening.code), recoverable: false }) }
    }
  }
}

function ofCall(
  format: PayloadFormat,
  happening: Extract<HookOccurrence, { readonly said: HostCall }>,
): JsonObject {
  const { said, call } = happening
  const isCopilot = format === 'copilot-camel' || format === 'copilot-snake'
  const named: JsonObject =
    format === 'copilot-camel'
      ? // As text: scripts for the Copilot CLI parse it themselves.
        { toolName: said.name, toolArgs: JSON.stringify(said.input) }
      : { tool_name: said.name, tool_input: said.input, ...(!isCopilot && { tool_use_id: call }) }
  if (happening.event === 'PostToolUse') {
    if (format === 'copilot-camel')
      return { ...named, toolResult: { resultType: 'success', textResultForLlm: happening.result } }
    if (format === 'copilot-snake')
      return { ...named, tool_result: { result_type: 'success', text_result_for_llm: happening.result } }
    return { ...named, tool_response: happening.result }
  }
  if (happening.event === 'PostToolUseFailure')
    return { ...named, error: happening.error, ...(format === 'claude' && { is_interrupt: false }) }
  return named
}

/** For a delegated session: its own id, type and name. */
function agentOf(format: PayloadFormat, { id, agent }: SessionSpec): JsonObject {
  const fields = { agentId: id, agentType: agent.type ?? agent.name, agentName: agent.name }
  return format === 'copilot-camel' ? fields : snakeKeys(fields)
}

function contextOf(code: string): string {
  if (code === 'backend' || code === 'unknown_model' || code === 'tools_unsupported') return 'model_call'
  return code === 'tool_access' || code === 'agent_execution' ? 'tool_execution' : 'system'
}

function snakeKeys(fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]): [string, Json] => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  )
}
