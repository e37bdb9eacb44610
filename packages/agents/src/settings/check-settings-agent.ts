import type { Located } from '@cadre/disk'
import { readTagged, type TaggedNames } from './read-tagged.ts'
import { faultInSettingsName, faultInToolName, lengthOf, settingsLimits } from './settings-limits.ts'
import { describeValue, type SettingsLocation, type SettingsReport } from './settings-report.ts'

/** One agent of the settings, with each part checked separately. */
export interface SettingsAgent {
  readonly place: SettingsLocation
  readonly name: string
  readonly prompt: string
  readonly description: string
  readonly useFor?: string
  readonly tools: TaggedNames
  readonly delegation: TaggedNames
  /** All other keys. */
  readonly rest: ReadonlyMap<string, Located>
}

const ownKeys = ['name', 'systemPrompt', 'description', 'useFor', 'delegationPermissions', 'toolPermissions']

/** Returns `undefined` if the agent is unusable; the report then contains the errors. */
export function checkSettingsAgent(
  item: Located,
  place: SettingsLocation,
  report: SettingsReport,
): SettingsAgent | undefined {
  const { fields } = item
  if (fields === undefined) {
    report.error(place, 'settings-agent', {
      fault: `must be an object, not ${describeValue(item.value)}`,
      effect: 'Cadre ignores it',
    })
    return undefined
  }
  const at = (key: string): SettingsLocation => ({
    path: `${place.path}.${key}`,
    line: fields.get(key)?.line ?? place.line,
  })
  const before = report.diagnostics.length
  const name = checkName(fields.get('name'), at('name'), report)
  const prompt = checkPrompt(fields.get('systemPrompt'), at('systemPrompt'), report)
  const description = checkText(fields.get('description'), at('description'), report, {
    effect: 'Other agents cannot tell when to use this one',
  })
  const useFor = checkText(fields.get('useFor'), at('useFor'), report, {
    effect: 'Cadre uses the description instead',
  })
  const delegation = readTagged(
    {
      field: fields.get('delegationPermissions'),
      place: at('delegationPermissions'),
      key: 'agents',
      effect: 'The agent may not delegate',
      faultInName: faultInSettingsName,
    },
    report,
  )
  const tools = readTagged(
    {
      field: fields.get('toolPermissions'),
      place: at('toolPermissions'),
      key: 'tools',
      effect: 'The agent gets no tools',
      faultInName: faultInToolName,
    },
    report,
  )
  const failed = report.diagnostics.slice(before).some(({ severity }) => severity === 'error')
  if (failed || name === undefined || prompt === undefined) return undefined
  return {
    place,
    name,
    prompt,
    description: description ?? '',
    ...(useFor !== undefined && { useFor }),
    tools,
    delegation,
    rest: new Map([...fields].filter(([key]) => !ownKeys.includes(key))),
  }
}

const ignoresAgent = 'Cadre ignores the agent'

/** A text of only spaces counts as empty. */
function emptyOf(value: unknown): { readonly value?: '' } {
  return typeof value === 'string' ? { value: '' } : {}
}

function checkName(
  field: Located | undefined,
  place: SettingsLocation,
  report: SettingsReport,
): string | undefined {
  const fault =
    field === undefined
      ? 'is missing'
      : typeof field.value === 'string'
        ? faultInSettingsName(field.value)
        : 'is not a string'
  if (fault === undefined) return field?.value as string
  report.error(place, 'settings-name', { fault, value: field?.value, effect: ignoresAgent })
  return undefined
}

function checkPrompt(
  field: Located | undefined,
  place: SettingsLocation,
  report: SettingsReport,
): string | undefined {
  const { prompt: max, shortPrompt } = settingsLimits
  const prompt = field?.value
  if (typeof prompt !== 'string' || prompt.trim() === '') {
    const fault =
      field === undefined ? 'is missing' : typeof prompt === 'string' ? 'is empty' : 'must be text'
    report.error(place, 'settings-prompt', {
      fault,
      ...emptyOf(prompt),
      effect: ignoresAgent,
      fix: 'Write its instructions there.',
    })
    return undefined
  }
  const length = lengthOf(prompt)
  if (length > max) {
    report.error(place, 'settings-prompt', {
      fault: `has ${length} characters, but the limit is ${max}`,
      effect: ignoresAgent,
      fix: 'Shorten it, or write the agent as a file in .github/agents.',
    })
    return undefined
  }
  if (length < shortPrompt)
    report.warning(place, 'settings-prompt-short', {
      fault: `has only ${length} ${length === 1 ? 'character' : 'characters'}, but agents need instructions`,
    })
  return prompt
}

/** Checks a short text. Without it, the agent can be used, but other agents cannot choose it. */
function checkText(
  field: Located | undefined,
  place: SettingsLocation,
  report: SettingsReport,
  { effect }: { readonly effect: string },
): string | undefined {
  const { text: max, longText } = settingsLimits
  const text = field?.value
  if (typeof text !== 'string' || text.trim() === '') {
    const fault = field === undefined ? 'is missing' : typeof text === 'string' ? 'is empty' : 'must be text'
    report.warning(place, 'settings-text', { fault, ...emptyOf(text), effect })
    return undefined
  }
  const length = lengthOf(text)
  if (length > max)
    report.error(place, 'settings-text-long', {
      fault: `has ${length} characters, but the limit is ${max}`,
      effect: ignoresAgent,
      fix: 'Shorten it.',
    })
  else if (length > longText)
    report.warning(place, 'settings-text-long', {
      fault: `has ${length} characters, but editors accept at most ${longText}`,
    })
  return text.trim()
}
