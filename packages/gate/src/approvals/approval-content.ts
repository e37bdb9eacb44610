import { isObject, type Json, type JsonObject, type Risk } from '@cadre/core'
import type { ApprovalRecord } from './approval-record.ts'
import { displayName, labelOf, shownText } from './shown-text.ts'

export type ApprovalContent = Pick<
  ApprovalRecord,
  'agent' | 'type' | 'action' | 'more' | 'risk' | 'reasons' | 'why' | 'grants' | 'choices'
>

/** A question, either recorded in a journal or being asked. */
export interface AskedQuestion {
  readonly text?: Json | undefined
  readonly content?: Json | undefined
  readonly kind?: Json | undefined
  readonly detail?: Json | undefined
  readonly choices?: Json | undefined
}

/** Describes a question to a person, for every surface that shows it. Damaged parts are omitted or shown unchanged. */
export function approvalContent(entry: AskedQuestion, agent: string): ApprovalContent {
  const detail = isObject(entry.detail) ? entry.detail : {}
  const text = String(entry.text ?? entry.content ?? '')
  const isDoubt = entry.kind === 'doubt'
  const given = parseArguments(detail['arguments'])
  const action = wordOf(detail['action']) ?? (isDoubt ? undefined : jsonText(given)) ?? text
  const why = [detail['reason'], detail['rule']].filter((one) => typeof one === 'string' && one !== '')
  return {
    agent: wordOf(detail['agent']) ?? agent,
    type: isDoubt ? 'in_doubt' : (wordOf(detail['type']) ?? wordOf(detail['tool']) ?? 'tool_call'),
    action,
    more: isObject(given) && detail['arguments'] !== action ? restOf(given, action) : [],
    risk: riskOf(detail['risk']),
    reasons: wordsOf(detail['reasons']),
    why: why.join(' · ') || text,
    grants: wordsOf(detail['grants']),
    choices: wordsOf(entry.choices),
  }
}

/** The complete request: the action and the call's other arguments. */
export function actionLines({
  type,
  action,
  more,
}: Pick<ApprovalContent, 'type' | 'action' | 'more'>): string[] {
  return [
    ...shownText(labelOf(type), action),
    ...more.flatMap(([name, value]) => shownText(`Argument ${displayName(name)}`, value)),
  ]
}

/** Returns the arguments that the action does not show. */
function restOf(given: JsonObject, action: string): [string, string][] {
  if (jsonText(given) === action) return []
  return Object.entries(given).flatMap(([name, value]): [string, string][] => {
    const text = typeof value === 'string' ? value : (jsonText(value) ?? '')
    return text === action ? [] : [[name, text]]
  })
}

/** Arguments are the JSON that the model wrote, valid or not, or the parsed value. */
function parseArguments(value: Json | undefined): Json | undefined {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value) as Json
  } catch {
    return value
  }
}

function jsonText(value: Json | undefined): string | undefined {
  if (value === undefined || value === null) return undefined
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function wordOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function wordsOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []
}

function riskOf(value: Json | undefined): Risk | undefined {
  return value === 'LOW' || value === 'MEDIUM' || value === 'HIGH' ? value : undefined
}
