import { findMisspelling } from '@cadre/core'
import type { HeaderReader } from './header-reader.ts'

export interface Invocation {
  readonly userInvocable: boolean | undefined
  readonly modelInvocable: boolean | undefined
  /** The file disables its agent. */
  readonly disabled: boolean
}

/** Reads who may start an agent. Every dialect has a key for it; a single key that forbids it is enough. */
export function readInvocation(header: HeaderReader): Invocation {
  const infer = readInfer(header)
  const mode = readMode(header)
  const hidden = isHidden(header)
  const isInvocable = header.restricts('userinvocable', false)
  const isDisabled = header.restricts('disablemodelinvocation', true)
  return {
    userInvocable: strictest(isInvocable, infer.user, hidden === true ? false : undefined),
    modelInvocable: strictest(isDisabled === undefined ? undefined : !isDisabled, infer.model, mode),
    disabled: isSwitchedOff(header),
  }
}

/** opencode hides the agent from the list for people. An agent for people only can still be started. */
function isHidden(header: HeaderReader): boolean | undefined {
  if (header.peek('hidden')?.value === false) return undefined
  const hidden = header.restricts('hidden', true)
  return String(header.peek('mode')?.value).trim().toLowerCase() === 'primary' ? undefined : hidden
}

function isSwitchedOff(header: HeaderReader): boolean {
  const field = header.peek('disable')
  if (field === undefined || /^(?:false|no|off|null)$/i.test(String(field.value))) return false
  header.report('info', 'agent-disabled', field.line, 'This file disables the agent.')
  return true
}

/** Predecessor of the two newer keys: a flag, or who may start it. */
function readInfer(header: HeaderReader): { readonly user?: boolean; readonly model?: boolean } {
  const word = header.peek('infer')?.value
  if (word === 'all' || word === 'user' || word === 'agent' || word === 'hidden') {
    header.take('infer')
    return { user: word === 'all' || word === 'user', model: word === 'all' || word === 'agent' }
  }
  const infer = header.restricts('infer', false)
  return infer === undefined ? {} : { model: infer }
}

/** opencode: `primary` is for people, `subagent` also for other agents. Other dialects have other modes. */
function readMode(header: HeaderReader): boolean | undefined {
  const field = header.peek('mode')
  const mode = typeof field?.value === 'string' ? field.value.trim().toLowerCase() : field?.value
  if (mode === 'primary') {
    header.take('mode')
    return false
  }
  if (field !== undefined && typeof mode === 'string' && findMisspelling(mode, ['primary']) !== undefined) {
    header.wrong('mode', field, 'must be primary, subagent or all (did you mean primary?)')
    return false
  }
  if (field === undefined || mode === 'subagent' || mode === 'all' || header.dialect !== 'opencode')
    return undefined
  header.report(
    'warning',
    'mode-unclear',
    field.line,
    `mode must be primary, subagent or all, not ${JSON.stringify(field.value).slice(0, 80)}. Until you fix it, other agents cannot start this agent.`,
    'Write mode: primary, subagent or all.',
  )
  return false
}

function strictest(...answers: readonly (boolean | undefined)[]): boolean | undefined {
  const given = answers.filter((answer) => answer !== undefined)
  return given.length === 0 ? undefined : given.every((answer) => answer)
}
