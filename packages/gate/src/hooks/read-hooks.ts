import { type HookEvent, hookEvents, interpretHookEvent } from '@cadre/agents'
import type { Diagnostic, Located } from '@cadre/disk'
import type { Hook, HookDialect, HookLevel } from './hook.ts'
import { readHookEntry } from './read-hook-entry.ts'

export interface HooksSource {
  readonly path: string
  readonly level: HookLevel
  /** `shared`: a file that both VS Code and the Copilot CLI read. Each event then determines its dialect. */
  readonly dialect: HookDialect | 'shared'
  /** True if the file has a `version`, which only the Copilot CLI requires. */
  readonly versioned?: boolean
  /** Hooks inside settings: the Copilot CLI uses all of them or none. */
  readonly inline?: boolean
  readonly platform?: NodeJS.Platform
}

export interface ParsedHooks {
  readonly hooks: readonly Hook[]
  readonly diagnostics: readonly Diagnostic[]
  /** The number of entries in the file, used or not. */
  readonly entries: number
}

/** Reads the value of `hooks`: events, each with a list of entries. Reports invalid entries and uses the rest. */
export function readHooks(written: Located, source: HooksSource): ParsedHooks {
  const { path } = source
  const diagnostics: Diagnostic[] = []
  const hooks: Hook[] = []
  let entries = 0
  const say = (severity: Diagnostic['severity'], line: number, code: string, message: string, fix?: string) =>
    diagnostics.push({ path, line, severity, code, message, ...(fix !== undefined && { fix }) })
  if (written.fields === undefined) {
    const what = Array.isArray(written.value) ? 'a list' : 'not an object'
    say(
      'error',
      written.line,
      'hooks-shape',
      `"hooks" is ${what}. Every host rejects the file.`,
      'Write {"PreToolUse": [{"type": "command", "command": "…"}]}.',
    )
    return { hooks, diagnostics, entries }
  }
  for (const [spelling, list] of written.fields) {
    const understood = interpretHookEvent(spelling)
    if (understood.kind !== 'run') {
      entries += list.items?.length ?? 1
      const isElsewhere = understood.kind === 'elsewhere'
      const shown = JSON.stringify(spelling.slice(0, 80))
      say(
        'warning',
        list.line,
        isElsewhere ? 'hook-event-elsewhere' : 'hook-event-unknown',
        isElsewhere
          ? `Cadre does not support the event ${shown}, so it never runs these hooks.`
          : `No host supports the event ${shown}, so these hooks never run.`,
        isElsewhere ? undefined : nearestEvent(spelling),
      )
      continue
    }
    const { event, casing } = understood
    const dialect = dialectOf(casing, source)
    if (understood.misspelling)
      say(
        'warning',
        list.line,
        'hook-event-spelling',
        `No other host supports the spelling ${spelling}. Cadre reads it as ${event}.`,
        `Write ${hookEvents[event].camel} or ${event}.`,
      )
    else if (!hookEvents[event].hosts.includes(dialect))
      say(
        'info',
        list.line,
        'hook-event-here-only',
        `${hostNames[dialect]} does not support ${spelling}. Cadre runs it.`,
      )
    if (list.items === undefined) {
      entries += 1
      say(
        'error',
        list.line,
        'hook-event-shape',
        `${spelling} is not a list, so Cadre ignores it${dialect === 'claude' ? '' : ', and the Copilot CLI rejects the whole file'}.`,
        `Write "${spelling}": [ … ].`,
      )
      continue
    }
    for (const item of list.items) {
      const read = readHookEntry(item, { ...source, event, spelling, casing, dialect })
      entries += read.entries
      hooks.push(...read.hooks)
      diagnostics.push(...read.diagnostics)
    }
  }
  const isBroken = diagnostics.some(({ severity }) => severity === 'error')
  if (source.inline === true && source.dialect === 'copilot' && isBroken)
    say(
      'warning',
      written.line,
      'hooks-strict',
      'The Copilot CLI runs none of these hooks if one of them is invalid.',
    )
  return { hooks, diagnostics, entries }
}

const hostNames: { readonly [dialect in HookDialect]: string } = {
  vscode: 'VS Code',
  copilot: 'The Copilot CLI',
  claude: 'Claude Code',
}

/** A file of Claude Code always has that dialect. Elsewhere, camelCase or a version means the Copilot CLI. */
function dialectOf(casing: 'camel' | 'pascal', { dialect, versioned }: HooksSource): HookDialect {
  if (dialect !== 'shared') return dialect
  return casing === 'camel' || versioned === true ? 'copilot' : 'vscode'
}

function nearestEvent(spelling: string): string {
  const plain = spelling.toLowerCase().replace(/[^a-z]/g, '')
  const event = (Object.keys(hookEvents) as HookEvent[]).find(
    (name) => name.toLowerCase() === plain || hookEvents[name].camel.toLowerCase() === plain,
  )
  return event === undefined
    ? `Use one of ${Object.keys(hookEvents).join(', ')}.`
    : `Write ${event} or ${hookEvents[event].camel}.`
}
