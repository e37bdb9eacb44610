import { nameKey } from '@cadre/core'
import { handoffLineNumbers } from '../../keys/read-handoffs.ts'
import { isHookEvent } from '../hook-events.ts'
import type { Finding } from '../lint-result.ts'
import { type FileRule, findKey, type LintSubject, lineOfKey } from '../subject.ts'
import { mayDelegate } from './reach-rules.ts'

/** Spellings that newer hosts no longer support. */
export const oldSpellingRule: FileRule = (subject) => {
  const findings: Finding[] = []
  const invokable = findKey(subject, 'userinvokable')
  if (invokable !== undefined)
    findings.push({
      severity: 'warning',
      code: 'user-invokable',
      line: invokable.line,
      message: `${invokable.written} is an old spelling that hosts no longer read.`,
      fix: 'Write user-invocable, or run "cadre lint --fix".',
    })
  const infer = findKey(subject, 'infer')
  if (infer !== undefined)
    findings.push({
      severity: 'warning',
      code: 'infer-retired',
      line: infer.line,
      message: 'infer is obsolete: github.com ignores it, and VS Code reports it as deprecated.',
      fix:
        infer.value === false
          ? 'Write disable-model-invocation: true, or run "cadre lint --fix".'
          : 'Remove it. Other agents may start this agent by default.',
    })
  return findings
}

/** Values that one host supports, but another does not load. */
export const valueShapeRule: FileRule = (subject) => {
  const findings: Finding[] = []
  const model = findKey(subject, 'model')
  if (model?.field.items !== undefined && forCopilotCli(subject))
    findings.push({
      severity: 'warning',
      code: 'model-list',
      line: model.line,
      message: 'Copilot CLI does not load an agent with a list of models.',
      fix: 'Write one name, or add target: vscode if the agent is only for VS Code.',
    })
  const tools = findKey(subject, 'tools')
  const shape = tools === undefined ? undefined : shapeOf(tools.value)
  if (shape !== undefined && (shape !== 'a map' || subject.dialect !== 'opencode') && isMarkdown(subject))
    findings.push({
      // If the reader already reported it, this only explains how other hosts handle it.
      severity: isReported(subject) || shape === 'a map' ? 'info' : 'warning',
      code: 'tools-shape',
      line: tools?.line ?? 1,
      message: `tools is ${shape}. Copilot CLI does not load such an agent, and other hosts may give it every tool.`,
      fix: 'Write tools: [] for no tools, or a list of names. Remove the key for all tools.',
    })
  return findings
}

function isReported({ read }: LintSubject): boolean {
  return read.diagnostics.some(({ code }) => code.startsWith('tools-'))
}

function shapeOf(value: unknown): string | undefined {
  if (value === null) return 'empty'
  if (typeof value === 'boolean' || typeof value === 'number') return `just ${value}`
  return typeof value === 'object' && !Array.isArray(value) ? 'a map' : undefined
}

function forCopilotCli(subject: LintSubject): boolean {
  const target = findKey(subject, 'target')?.value
  return subject.dialect === 'copilot' && target !== 'vscode'
}

function isMarkdown({ dialect }: LintSubject): boolean {
  return dialect !== 'template' && dialect !== 'settings'
}

/** `agents` has no effect for an agent without a tool to start one. */
export const agentsWithoutToolRule: FileRule = (subject) => {
  const { agent } = subject.read
  const key = findKey(subject, 'agents', 'subagents')
  if (agent === undefined || key === undefined || agent.delegates === undefined) return []
  if (agent.delegates.kind === 'none' || mayDelegate(agent)) return []
  return [
    {
      severity: 'warning',
      code: 'agents-without-tool',
      line: key.line,
      message: `${key.written} has no effect, because the agent has no tool to start other agents.`,
      fix: 'Add agent to tools, or remove this key.',
    },
  ]
}

export const handoffRule: FileRule = (subject) => {
  const { agent } = subject.read
  const lines = handoffLineNumbers(findKey(subject, 'handoffs')?.field)
  const findings: Finding[] = []
  for (const [index, handoff] of (agent?.handoffs ?? []).entries()) {
    const line = lines[index] ?? lineOfKey(subject, 'handoffs')
    if (agent !== undefined && nameKey(handoff.agent) === nameKey(agent.name))
      findings.push({
        severity: 'info',
        code: 'handoff-to-self',
        line,
        message: `Handoff ${JSON.stringify(handoff.label)} points back to the agent itself.`,
      })
    if (handoff.prompt.trim() === '' && isMarkdown(subject))
      findings.push({
        severity: 'warning',
        code: 'handoff-without-prompt',
        line,
        message: `Handoff ${JSON.stringify(handoff.label)} has no prompt, so VS Code ignores it.`,
        fix: 'Add prompt: with the task for the other agent.',
      })
  }
  return findings
}

export const hookRule: FileRule = (subject) => {
  const key = findKey(subject, 'hooks')
  if (key?.field.fields === undefined) return []
  const dead = [...key.field.fields.keys()].filter((event) => !isHookEvent(event))
  if (dead.length === 0) return []
  return [
    {
      severity: 'warning',
      code: 'hooks-never-run',
      line: key.field.fields.get(dead[0] as string)?.line ?? key.line,
      message: `${dead.slice(0, 5).join(', ')}: no host has ${dead.length === 1 ? 'this event' : 'these events'}, so these hooks never run.`,
      fix: 'Use PreToolUse, PostToolUse, SessionStart, Stop or SubagentStop, with a list of commands.',
    },
  ]
}

const ranges: readonly (readonly [keys: readonly string[], least: number, most: number, unit: string])[] = [
  [['maxturns', 'steps', 'maxsteps'], 1, 1_000, 'rounds'],
  [['timeout', 'timeoutseconds'], 1, 86_400, 'seconds'],
  [['temperature'], 0, 2, ''],
  [['topp'], 0, 1, ''],
]

/** Numbers that are valid, but probably not intended. */
export const limitRangeRule: FileRule = (subject) => {
  const findings: Finding[] = []
  for (const [keys, min, max, unit] of ranges) {
    const key = findKey(subject, ...keys)
    if (key === undefined || typeof key.value !== 'number') continue
    if (key.value >= min && key.value <= max) continue
    findings.push({
      severity: 'warning',
      code: 'limit-out-of-range',
      line: key.line,
      message: `${key.written} is ${key.value}, but should be from ${min} to ${max}${unit === '' ? '' : ` ${unit}`}.`,
      fix: `Write a number from ${min} to ${max}.`,
    })
  }
  return findings
}
