/** Events that a hook can be run for, by their PascalCase names. */
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

/** What the camelCase spelling of an event is, and who else runs it: of the rest a hook runs only where we run it. */
interface EventRow {
  readonly camel: string
  /** Written so in real files, and known to no host. */
  readonly slip?: string
  readonly hosts: readonly ('vscode' | 'copilot' | 'claude')[]
}

const all = ['vscode', 'copilot', 'claude'] as const

/** The one table of events: what runs hooks and what looks through files both go by it. */
export const hookEvents: { readonly [event in HookEvent]: EventRow } = {
  SessionStart: { camel: 'sessionStart', hosts: all },
  SessionEnd: { camel: 'sessionEnd', hosts: ['copilot', 'claude'] },
  UserPromptSubmit: { camel: 'userPromptSubmitted', slip: 'userPromptSubmit', hosts: all },
  PreToolUse: { camel: 'preToolUse', hosts: all },
  PostToolUse: { camel: 'postToolUse', hosts: all },
  PostToolUseFailure: { camel: 'postToolUseFailure', hosts: ['copilot', 'claude'] },
  PermissionRequest: { camel: 'permissionRequest', hosts: ['copilot', 'claude'] },
  SubagentStart: { camel: 'subagentStart', hosts: all },
  SubagentStop: { camel: 'subagentStop', hosts: all },
  Stop: { camel: 'agentStop', slip: 'stop', hosts: all },
  PreCompact: { camel: 'preCompact', hosts: all },
  Notification: { camel: 'notification', hosts: ['copilot', 'claude'] },
  ErrorOccurred: { camel: 'errorOccurred', hosts: ['copilot'] },
}

/** Events of some host for which nothing happens here. In small letters. */
const elsewhere: ReadonlySet<string> = new Set(
  `userprompttransformed userpromptexpansion posttoolbatch premcptoolcall postcompact premodelswitch postmodelswitch
   stopfailure permissiondenied setup taskcreated taskcompleted teammateidle worktreecreate worktreeremove configchange
   filechanged cwdchanged directoryadded instructionsloaded elicitation elicitationresult messagedisplay`.split(
    /\s+/,
  ),
)

export type UnderstoodEvent =
  /** `slip`: no host takes it spelled like this. */
  | {
      readonly kind: 'run'
      readonly event: HookEvent
      readonly casing: 'camel' | 'pascal'
      readonly slip: boolean
    }
  /** Some host has it; nothing happens here. */
  | { readonly kind: 'elsewhere' }
  | { readonly kind: 'unknown' }

const spellings = new Map<string, UnderstoodEvent>()
for (const [name, { camel, slip }] of Object.entries(hookEvents)) {
  const event = name as HookEvent
  spellings.set(name, { kind: 'run', event, casing: 'pascal', slip: false })
  spellings.set(camel, { kind: 'run', event, casing: 'camel', slip: false })
  if (slip !== undefined) spellings.set(slip, { kind: 'run', event, casing: 'camel', slip: true })
}
const known = new Set([...[...spellings.keys()].map((name) => name.toLowerCase()), ...elsewhere])

/** What a name in a file of hooks means. Every host minds the case. */
export function understandHookEvent(name: string): UnderstoodEvent {
  return spellings.get(name) ?? { kind: elsewhere.has(name.toLowerCase()) ? 'elsewhere' : 'unknown' }
}

/** Whether any host runs hooks for something of this name. */
export function isHookEvent(name: string): boolean {
  return known.has(name.toLowerCase())
}
