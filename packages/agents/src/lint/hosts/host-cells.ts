import { isObject, type Json, knowsModel } from '@cadre/core'
import { isHookEvent } from '../hook-events.ts'
import type { HostEffect } from './host.ts'

/** How a host handles a key: it reads it, or this. */
export type Verdict = 'read' | Omit<HostEffect, 'key'>

export interface KeyContext {
  readonly value: Json
  readonly dialect: string
  /** Other keys of the file, as written. */
  readonly values: ReadonlyMap<string, Json>
}

export type HostCell = Verdict | ((context: KeyContext) => Verdict)

export const supportedCell: HostCell = 'read'
export const ignoredCell: HostCell = { effect: 'ignored' }
/** For a key that denies something: if it is ignored, everything is permitted. */
export const ignoredRestriction: HostCell = {
  effect: 'ignored',
  note: 'the restrictions do not apply in this host',
}
/** opencode passes unknown keys to the model's provider. */
export const providerOption: HostCell = {
  effect: 'differently',
  note: "passed to the model's provider as an option",
}
export const inClaudeFiles =
  (other: HostCell): HostCell =>
  (context) =>
    context.dialect === 'claude' ? 'read' : evaluateCell(other, context)

const isList = (value: Json) => Array.isArray(value)
const isNames = (value: Json) =>
  typeof value === 'string' || (Array.isArray(value) && value.every((item) => typeof item === 'string'))

/** Returns this effect unless the value fits; then the host reads the key. */
function unless(
  fits: (context: KeyContext) => boolean,
  effect: HostEffect['effect'],
  note: string,
): HostCell {
  return (context) => (fits(context) ? 'read' : { effect, note })
}

export const namesCell = unless(
  ({ value }) => isNames(value),
  'differently',
  'expects a list of names, or comma-separated text',
)
export const strictNames = unless(
  ({ value }) => isNames(value),
  'rejects',
  'expects a list of names, or comma-separated text, so it does not load the agent',
)
export const mapOfBooleans = unless(
  ({ value }) => isObject(value) && Object.values(value).every((one) => typeof one === 'boolean'),
  'rejects',
  'expects a map of names to true or false, so it does not load the agent',
)
export const requiresOneModel = unless(
  ({ value }) => !isList(value),
  'rejects',
  'expects one model, so it does not load the agent',
)
export const readsOneModel = unless(({ value }) => !isList(value), 'differently', 'expects one model')
export const claudeModel = unless(
  ({ value }) => typeof value === 'string' && knowsModel('claude', value.trim()),
  'differently',
  "unknown name, so the agent uses the session's model",
)
export const providerModel: HostCell = (context) => {
  if (typeof context.value !== 'string')
    return { effect: 'rejects', note: 'expects one model as provider/name' }
  return knowsModel('opencode', context.value.trim())
    ? 'read'
    : { effect: 'differently', note: 'expects a model as provider/name' }
}
export const withAgentTool = unless(
  ({ value, values }) => {
    const tools = values.get('tools')
    const isNobody = Array.isArray(value) && value.length === 0
    return (
      isNobody ||
      tools === undefined ||
      /(?:^|[\s,"/])(?:agent|custom-agent|task|runsubagent|\*)(?:$|[\s,"(/])/i.test(JSON.stringify(tools))
    )
  },
  'ignored',
  'tools does not contain agent',
)
export const unlessGitHubOnly = unless(
  ({ value }) => value !== 'github-copilot',
  'differently',
  'limits the agent to github.com',
)
export const unlessVsCodeOnly = unless(
  ({ value }) => value !== 'vscode',
  'rejects',
  'limits the agent to VS Code',
)
export const handoffsWithPrompts = unless(
  ({ value }) => isList(value) && (value as Json[]).every((one) => isObject(one) && Boolean(one['prompt'])),
  'differently',
  'ignores handoffs without label, agent or prompt',
)
export const hookEvents =
  (known: Verdict): HostCell =>
  (context) =>
    isObject(context.value) && Object.keys(context.value).some(isHookEvent)
      ? known
      : { effect: 'ignored', note: 'unknown events' }
export const colorCell = unless(
  ({ value }) =>
    typeof value === 'string' &&
    /^(?:#[0-9a-f]{6}|primary|secondary|accent|success|warning|error|info)$/i.test(value),
  'rejects',
  'expects #RRGGBB or a theme color, so it does not load the agent',
)
export const modeCell = unless(
  ({ value }) => value === 'subagent' || value === 'primary' || value === 'all',
  'rejects',
  'expects subagent, primary or all, so it does not load the agent',
)
export const textList = unless(
  ({ value }) => isList(value),
  'rejects',
  'expects a list, so it does not load the agent',
)
export const booleanCell = unless(
  ({ value }) => typeof value === 'boolean',
  'rejects',
  'expects true or false, so it does not load the agent',
)
export const textCell = unless(
  ({ value }) => typeof value === 'string',
  'rejects',
  'expects text, so it does not load the agent',
)
export const deprecatedCell: HostCell = {
  effect: 'differently',
  note: 'deprecated: use disable-model-invocation',
}
export const removedCell: HostCell = { effect: 'ignored', note: 'removed: use disable-model-invocation' }
export const oldSpelling: HostCell = {
  effect: 'ignored',
  note: 'old spelling of user-invocable, so users can start the agent there',
}
export const previewHookEvents: HostCell = hookEvents({
  effect: 'differently',
  note: 'only with chat.useCustomAgentHooks; Stop is treated as SubagentStop',
})

/** Evaluates a cell for one file. */
export function evaluateCell(cell: HostCell, context: KeyContext): Verdict {
  return typeof cell === 'function' ? cell(context) : cell
}
