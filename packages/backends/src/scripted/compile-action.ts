import type { ReplyFailure, Usage } from '@cadre/core'
import type { Field } from '../field.ts'
import { type ConditionCheck, compileCondition } from './condition.ts'
import { compileText, compileValue, fillTemplate, type TemplateValue } from './template.ts'

export interface CompiledCall {
  readonly tool: string
  readonly arguments: TemplateValue<string>
  readonly id: TemplateValue<string> | undefined
  readonly repeat: number
}

export interface ScriptedReply {
  readonly kind: 'reply'
  readonly content: TemplateValue<string> | undefined
  readonly calls: readonly CompiledCall[]
  readonly pieces: number
  /** The interval between pieces, in milliseconds. */
  readonly every: number
  readonly usage?: Usage
  readonly stop?: 'length' | 'filtered'
}

export interface ScriptedFailure {
  readonly kind: 'fail'
  readonly code: ReplyFailure['code']
  readonly message: TemplateValue<string>
  readonly tooLong: boolean
}

export interface CompiledAction {
  readonly where: string
  readonly expect: ConditionCheck | undefined
  readonly wait: number
  readonly body: ScriptedReply | ScriptedFailure | { readonly kind: 'hang' }
}

const replyKeys = ['reply', 'calls', 'stream', 'usage', 'stop']
export const actionKeys: readonly string[] = [...replyKeys, 'fail', 'hang', 'expect', 'wait']

/** The caller has checked the keys of the step, because it knows which others are allowed. */
export function compileAction(field: Field): CompiledAction {
  const expect = field.at('expect')
  return {
    where: field.where,
    expect: expect && compileCondition(expect),
    wait: field.at('wait')?.amount() ?? 0,
    body: compileBody(field),
  }
}

function compileBody(field: Field): CompiledAction['body'] {
  const fail = field.at('fail')
  const hangs = field.at('hang')?.flag() === true
  const given = replyKeys.filter((key) => field.at(key) !== undefined)
  if (fail === undefined && !hangs) return compileReply(field)
  if (given.length > 0 || (fail !== undefined && hangs))
    field.fail(`a step cannot have both "${given[0] ?? 'hang'}" and "${fail ? 'fail' : 'hang'}".`)
  return fail === undefined ? { kind: 'hang' } : compileFailure(fail)
}

function compileReply(field: Field): ScriptedReply {
  const reply = field.at('reply')
  const calls = field.at('calls')
  if (reply === undefined && calls === undefined)
    field.fail('a step needs "reply", "calls", "fail", "hang", "choose" or "steps".')
  const stream = field.at('stream')
  if (stream?.isMapping) stream.mapping('stream', ['pieces', 'every'])
  const usage = field.at('usage')
  const stop = field.at('stop')
  return {
    kind: 'reply',
    content: reply && compileText(reply.text(), reply),
    calls: calls?.items().map(compileCall) ?? [],
    pieces: (stream?.isMapping ? stream.at('pieces') : stream)?.whole(1) ?? 1,
    every: stream?.isMapping ? (stream.at('every')?.amount() ?? 0) : 0,
    ...(usage === undefined ? {} : { usage: compileUsage(usage) }),
    ...(stop === undefined ? {} : { stop: stop.oneOf(['length', 'filtered']) }),
  }
}

function compileCall(field: Field): CompiledCall {
  field.mapping('a call', ['tool', 'input', 'arguments', 'id', 'repeat'])
  const tool = field.at('tool')?.words() ?? field.fail('a call needs "tool".')
  const raw = field.at('arguments')
  const input = field.at('input')
  if (raw !== undefined && input !== undefined) field.fail('a call cannot have both "input" and "arguments".')
  if (input !== undefined && !input.isMapping)
    input.fail('"input" must be a mapping of keys to values. For raw text, use "arguments".')
  const id = field.at('id')
  return {
    tool,
    arguments: raw === undefined ? compileInput(input) : compileText(raw.text(), raw),
    id: id && compileText(id.words(), id),
    repeat: field.at('repeat')?.whole(1) ?? 1,
  }
}

function compileInput(field: Field | undefined): TemplateValue<string> {
  if (field === undefined) return { constant: '{}' }
  const value = compileValue(field.value, field)
  if ('constant' in value) return { constant: JSON.stringify(value.constant) }
  return { of: (asked) => JSON.stringify(fillTemplate(value, asked)) }
}

function compileFailure(field: Field): ScriptedFailure {
  const standard = { constant: 'the playbook makes this request fail.' }
  if (!field.isMapping)
    return { kind: 'fail', code: 'backend', message: compileText(field.words(), field), tooLong: false }
  field.mapping('fail', ['message', 'code', 'tooLong'])
  const message = field.at('message')
  return {
    kind: 'fail',
    code:
      field.at('code')?.oneOf(['backend', 'unknown_model', 'tools_unsupported', 'timeout', 'cancelled']) ??
      'backend',
    message: message === undefined ? standard : compileText(message.words(), message),
    tooLong: field.at('tooLong')?.flag() ?? false,
  }
}

function compileUsage(field: Field): Usage {
  field.mapping('usage', ['input', 'output', 'cost'])
  const tokens = (key: string) => field.at(key)?.whole(0) ?? field.fail(`"usage" needs "${key}".`)
  const cost = field.at('cost')?.amount()
  const usage = { input: tokens('input'), output: tokens('output') }
  return cost === undefined ? usage : { ...usage, cost }
}
