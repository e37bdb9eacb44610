/** Events that can run a hook, by their PascalCase names. */
export type HookEvent =
  | 'SessionStart'
  | 'SessionEnd'
  | 'UserPromptSubmit'
  | 'PreToolUse'
  | 'PostToolUse'
  | 'PostToolUseFailure'
  | 'PermissionRequest'
  | 'SubagentStart'
  | 'SubagentStop'
  | 'Stop'
  | 'PreCompact'
  | 'Notification'
  | 'ErrorOccurred'

/** The camelCase spelling of an event, and which other hosts support it. */
interface EventRow {
  readonly camel: string
  /** A spelling that occurs in real files but that no host supports. */
  readonly misspelling?: string
  readonly hosts: readonly ('vscode' | 'copilot' | 'claude')[]
}

const all = ['vscode', 'copilot', 'claude'] as const

/** The table of events, used for both running hooks and linting files. */
export const hookEvents: { readonly [event in HookEvent]: EventRow } = {
  SessionStart: { camel: 'sessionStart', hosts: all },
  SessionEnd: { camel: 'sessionEnd', hosts: ['copilot', 'claude'] },
  UserPromptSubmit: { camel: 'userPromptSubmitted', misspelling: 'userPromptSubmit', hosts: all },
  PreToolUse: { camel: 'preToolUse', hosts: all },
  PostToolUse: { camel: 'postToolUse', hosts: all },
  PostToolUseFailure: { camel: 'postToolUseFailure', hosts: ['copilot', 'claude'] },
  PermissionRequest: { camel: 'permissionRequest', hosts: ['copilot', 'claude'] },
  SubagentStart: { camel: 'subagentStart', hosts: all },
  SubagentStop: { camel: 'subagentStop', hosts: all },
  Stop: { camel: 'agentStop', misspelling: 'stop', hosts: all },
  PreCompact: { camel: 'preCompact', hosts: all },
  Notification: { camel: 'notification', hosts: ['copilot', 'claude'] },
  ErrorOccurred: { camel: 'errorOccurred', hosts: ['copilot'] },
}

/** Events of other hosts that Cadre does not have, in lower case. */
const foreignEvents: ReadonlySet<string> = new Set(
  `userprompttransformed userpromptexpansion posttoolbatch premcptoolcall postcompact premodelswitch postmodelswitch
   stopfailure permissiondenied setup taskcreated taskcompleted teammateidle worktreecreate worktreeremove configchange
   filechanged cwdchanged directoryadded instructionsloaded elicitation elicitationresult messagedisplay`.split(
    /\s+/,
  ),
)

export type ParsedHookEvent =
  /** `slip`: no host supports this spelling. */
  | {
      readonly kind: 'run'
      readonly event: HookEvent
      readonly casing: 'camel' | 'pascal'
      readonly misspelling: boolean
    }
  /** An event of another host; Cadre does nothing. */
  | { readonly kind: 'elsewhere' }
  | { readonly kind: 'unknown' }

const spellings = new Map<string, ParsedHookEvent>()
for (const [name, { camel, misspelling: slip }] of Object.entries(hookEvents)) {
  const event = name as HookEvent
  spellings.set(name, { kind: 'run', event, casing: 'pascal', misspelling: false })
  spellings.set(camel, { kind: 'run', event, casing: 'camel', misspelling: false })
  if (slip !== undefined) spellings.set(slip, { kind: 'run', event, casing: 'camel', misspelling: true })
}
const known = new Set([...[...spellings.keys()].map((name) => name.toLowerCase()), ...foreignEvents])

/** Interprets an event name in a hook file. All hosts are case-sensitive. */
export function interpretHookEvent(name: string): ParsedHookEvent {
  return spellings.get(name) ?? { kind: foreignEvents.has(name.toLowerCase()) ? 'elsewhere' : 'unknown' }
}

/** True if any host has an event with this name. */
export function isHookEvent(name: string): boolean {
  return known.has(name.toLowerCase())
}
