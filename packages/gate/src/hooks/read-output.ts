import { isObject, type Json, type JsonObject } from '@cadre/core'
import type { Hook } from './hook.ts'
import type { HookAnswer } from './read-answer.ts'

const maxTextLength = 10_000

/** Parses the JSON document that a hook printed, flat or with `hookSpecificOutput`: every dialect accepts both. */
export function readOutput(
  { event, dialect }: Pick<Hook, 'event' | 'dialect'>,
  output: JsonObject,
): HookAnswer {
  const inner = isObject(output['hookSpecificOutput']) ? output['hookSpecificOutput'] : {}
  const find = (key: string): Json | undefined => inner[key] ?? output[key]
  const textAt = (key: string): string | undefined => {
    const value = find(key)
    return typeof value === 'string' && value.trim() !== '' ? truncate(value) : undefined
  }
  const message = textAt('systemMessage')
  const context = textAt('additionalContext')
  const common: HookAnswer = {
    ...(message !== undefined && { notices: [message] }),
    ...(output['continue'] === false && { stop: textAt('stopReason') ?? 'a hook stopped the session' }),
  }
  const withContext: HookAnswer = { ...common, ...(context !== undefined && { context }) }
  switch (event) {
    case 'PreToolUse':
      return { ...withContext, ...decisionOf(output, inner, textAt) }
    case 'PermissionRequest':
      return { ...common, ...permissionOf(output, inner, textAt) }
    case 'PostToolUse':
    case 'PostToolUseFailure': {
      const content = contentOf(output, inner)
      const isBlocked = find('decision') === 'block'
      return {
        ...withContext,
        ...(content !== undefined && { content }),
        ...(isBlocked && { blocked: textAt('reason') ?? 'a hook found something wrong with this result' }),
      }
    }
    case 'UserPromptSubmit':
      // The Copilot CLI ignores all output of such a hook, and VS Code uses the fields common to all events.
      if (dialect === 'copilot') return {}
      if (dialect === 'vscode') return common
      return {
        ...withContext,
        ...(find('decision') === 'block' && {
          blocked: textAt('reason') ?? 'a hook rejected this prompt',
        }),
      }
    case 'Stop':
    case 'SubagentStop': {
      const isBlocked = find('decision') === 'block' && common.stop === undefined
      const ignored = output['modifiedResponse'] === undefined ? [] : [responseNotice]
      return {
        ...common,
        notices: [...(common.notices ?? []), ...ignored],
        ...(isBlocked && { blocked: textAt('reason') ?? 'a hook requires more work' }),
      }
    }
    case 'SessionStart':
    case 'SubagentStart':
      return withContext
    case 'PreCompact':
      if (find('decision') !== 'block') return common
      return { ...common, notices: [...(common.notices ?? []), summaryNotice(textAt('reason'))] }
    case 'Notification':
      return dialect === 'claude' ? common : withContext
    default:
      return common
  }
}

/** A session that exceeds its context window cannot continue without the summary. */
function summaryNotice(reason: string | undefined): string {
  return `the hook tried to stop Cadre from summarising the session${reason === undefined ? '' : ` (${reason})`}, which Cadre does not support`
}

const responseNotice = "Cadre ignores modifiedResponse: a hook cannot change an agent's report"

type TextAt = (key: string) => string | undefined

const decisions: { readonly [word: string]: HookAnswer['decision'] } = {
  allow: 'allow',
  approve: 'allow',
  ask: 'ask',
  deny: 'deny',
  block: 'deny',
}
const strictness = { allow: 0, ask: 1, deny: 2 } as const

/** An unknown word may have been intended to deny. */
function decisionOf(output: JsonObject, inner: JsonObject, textAt: TextAt): HookAnswer {
  const words = [
    inner['permissionDecision'],
    output['permissionDecision'],
    inner['decision'],
    output['decision'],
  ]
  let decision: HookAnswer['decision']
  for (const word of words) {
    if (word === undefined || word === null || word === 'defer') continue
    const said = typeof word === 'string' && Object.hasOwn(decisions, word) ? decisions[word] : undefined
    if (said === undefined)
      return {
        decision: 'deny',
        reason: `the hook's decision is not valid: ${truncate(JSON.stringify(word), 80)}`,
      }
    if (decision === undefined || strictness[said] > strictness[decision]) decision = said
  }
  const input = [
    inner['updatedInput'],
    output['updatedInput'],
    output['modifiedArgs'],
    inner['modifiedArgs'],
  ].find((value) => value !== undefined && value !== null)
  if (input !== undefined && !isObject(input))
    return { decision: 'deny', reason: 'the hook returned arguments that are not an object' }
  const reason = textAt('permissionDecisionReason') ?? textAt('reason')
  return {
    ...(decision !== undefined && { decision }),
    ...(reason !== undefined && { reason }),
    ...(input !== undefined && decision !== 'deny' && { input }),
  }
}

function permissionOf(output: JsonObject, inner: JsonObject, textAt: TextAt): HookAnswer {
  const nested = isObject(inner['decision']) ? inner['decision'] : {}
  const behavior = nested['behavior'] ?? output['behavior'] ?? inner['behavior']
  const said = nested['message'] ?? output['message']
  const reason = typeof said === 'string' && said.trim() !== '' ? truncate(said) : textAt('reason')
  if (behavior === 'deny') {
    const isOver = (nested['interrupt'] ?? output['interrupt']) === true
    return {
      decision: 'deny',
      ...(reason !== undefined && { reason }),
      ...(isOver && { stop: reason ?? 'a hook denied the call and stopped the session' }),
    }
  }
  if (behavior !== 'allow') return {}
  // It permits a different call from the one that was judged.
  if (isObject(nested['updatedInput']))
    return {
      notices: [
        'the hook allowed the call with changed arguments, which Cadre does not support. The call needs approval',
      ],
    }
  return { decision: 'allow', ...(reason !== undefined && { reason }) }
}

function contentOf(output: JsonObject, inner: JsonObject): string | undefined {
  const modified = isObject(output['modifiedResult']) ? output['modifiedResult'] : inner['modifiedResult']
  if (isObject(modified)) {
    const text = modified['textResultForLlm'] ?? modified['text_result_for_llm']
    return typeof text === 'string' ? text : undefined
  }
  const updated = inner['updatedToolOutput'] ?? output['updatedToolOutput']
  if (updated === undefined || updated === null) return undefined
  return typeof updated === 'string' ? updated : JSON.stringify(updated)
}

export function truncate(text: string, max = maxTextLength): string {
  return text.length <= max ? text : `${text.slice(0, max)}… (cut)`
}
