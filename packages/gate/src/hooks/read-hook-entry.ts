import type { HookEvent } from '@cadre/agents'
import type { Diagnostic, Located } from '@cadre/disk'
import type { Hook, HookDialect } from './hook.ts'
import { findMatcherFault } from './matches-hook.ts'
import { readAction, textOf } from './read-action.ts'
import type { HooksSource } from './read-hooks.ts'
import { readTimeout } from './read-timeout.ts'

export interface EntryContext extends Omit<HooksSource, 'dialect'> {
  readonly event: HookEvent
  readonly spelling: string
  readonly casing: 'camel' | 'pascal'
  readonly dialect: HookDialect
}

export interface ParsedHookEntry {
  readonly hooks: readonly Hook[]
  readonly diagnostics: readonly Diagnostic[]
  readonly entries: number
}

export type ReportHookProblem = (
  severity: Diagnostic['severity'],
  line: number,
  code: string,
  message: string,
  fix?: string,
) => void

/** An entry of an event: one hook, or a group `{matcher, hooks: […]}` of them. */
export function readHookEntry(item: Located, context: EntryContext): ParsedHookEntry {
  const diagnostics: Diagnostic[] = []
  const say: ReportHookProblem = (severity, line, code, message, fix) =>
    diagnostics.push({
      path: context.path,
      line,
      severity,
      code,
      message,
      ...(fix !== undefined && { fix }),
    })
  const { fields } = item
  if (fields === undefined) {
    say('error', item.line, 'hook-shape', `An entry in ${context.spelling} is not an object. Cadre skips it.`)
    return { hooks: [], diagnostics, entries: 1 }
  }
  const matcher = readMatcher(fields, say)
  const group = fields.get('hooks')
  if (group === undefined) {
    const hook = readOne(item, matcher, context, say)
    return { hooks: hook === undefined ? [] : [hook], diagnostics, entries: 1 }
  }
  if (group.items === undefined) {
    say(
      'error',
      group.line,
      'hook-shape',
      `In ${context.spelling}, the "hooks" of a group is not a list. Cadre skips the group.`,
    )
    return { hooks: [], diagnostics, entries: 1 }
  }
  const hooks = group.items.flatMap((inner) => {
    if (inner.fields === undefined) {
      say(
        'error',
        inner.line,
        'hook-shape',
        `An entry in ${context.spelling} is not an object. Cadre skips it.`,
      )
      return []
    }
    // An entry in a group can have its own matcher; otherwise that of the group applies.
    return readOne(inner, readMatcher(inner.fields, say) ?? matcher, context, say) ?? []
  })
  return { hooks, diagnostics, entries: group.items.length }
}

function readOne(
  item: Located,
  matcher: string | undefined,
  context: EntryContext,
  say: ReportHookProblem,
): Hook | undefined {
  const fields = item.fields as ReadonlyMap<string, Located>
  const { event, spelling, casing, dialect, level, path } = context
  const { action, idle } = readAction(item, context, say)
  if (action === undefined) return undefined
  if (matcher !== undefined && matcher !== '' && matcher !== '*' && dialect === 'vscode')
    say(
      'info',
      item.line,
      'hook-matcher-ignored',
      `VS Code ignores the matcher ${JSON.stringify(matcher.slice(0, 80))} and runs this hook for every ${event}.`,
      'Check tool_name in the script, or add "version": 1 for the Copilot CLI format.',
    )
  const condition = textOf(fields.get('if'))
  const cwd = textOf(fields.get('cwd'))
  const hook: Hook = {
    event,
    spelling,
    casing,
    dialect,
    level,
    path,
    line: item.line,
    ...(matcher !== undefined && { matcher }),
    ...(condition !== undefined && { condition }),
    action,
    timeoutMs: readTimeout(fields, dialect, say),
    ...(cwd !== undefined && cwd !== '' && { cwd }),
    env: readEnv(fields.get('env'), say),
    background: fields.get('async')?.value === true || fields.get('asyncRewake')?.value === true,
    once: fields.get('once')?.value === true,
    ...(idle !== undefined && { idle }),
  }
  const fault = findMatcherFault(hook)
  if (fault !== undefined)
    say(
      'warning',
      item.line,
      'hook-matcher',
      `The matcher ${JSON.stringify(matcher?.slice(0, 80))}: ${fault}.`,
    )
  return hook
}

function readMatcher(fields: ReadonlyMap<string, Located>, say: ReportHookProblem): string | undefined {
  const matcher = fields.get('matcher')
  if (matcher === undefined || matcher.value === null) return undefined
  if (typeof matcher.value === 'string') return matcher.value
  say(
    'warning',
    matcher.line,
    'hook-matcher-shape',
    'The matcher is not a string, so the hook runs for everything.',
  )
  return undefined
}

function readEnv(written: Located | undefined, say: ReportHookProblem): { readonly [name: string]: string } {
  if (written === undefined || written.value === null) return {}
  if (written.fields === undefined) {
    say('warning', written.line, 'hook-env-shape', '"env" is not an object. Cadre ignores it.')
    return {}
  }
  const usable = [...written.fields].filter(([name, { line, value }]) => {
    const isUsable =
      /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && ['string', 'number', 'boolean'].includes(typeof value)
    if (!isUsable)
      say(
        'warning',
        line,
        'hook-env-shape',
        `The variable ${JSON.stringify(name.slice(0, 80))} cannot be set.`,
      )
    return isUsable
  })
  return Object.fromEntries(usable.map(([name, { value }]) => [name, String(value).replaceAll('\0', '')]))
}
