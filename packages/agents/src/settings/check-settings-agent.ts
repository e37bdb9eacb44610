import type { Located } from '@cadre/disk'
import { readTagged, type Tagged } from './read-tagged.ts'
import { faultInSettingsName, faultInToolName, lengthOf, settingsLimits } from './settings-limits.ts'
import { type SettingsPlace, type SettingsReport, shown } from './settings-report.ts'

/** One agent of the settings, each part checked by itself. */
export interface SettingsAgent {
  readonly place: SettingsPlace
  readonly name: string
  readonly prompt: string
  readonly description: string
  readonly useFor?: string
  readonly tools: Tagged
  readonly delegation: Tagged
  /** Everything else that is written there. */
  readonly rest: ReadonlyMap<string, Located>
}

const ownKeys = ['name', 'systemPrompt', 'description', 'useFor', 'delegationPermissions', 'toolPermissions']

/** `undefined` when it cannot be used; the report then holds the errors. */
export function checkSettingsAgent(
  item: Located,
  place: SettingsPlace,
  report: SettingsReport,
): SettingsAgent | undefined {
  const { fields } = item
  if (fields === undefined) {
    report.error(place, 'settings-agent', `must be an object, not ${shown(item.value)}; it is left out.`)
    return undefined
  }
  const at = (key: string): SettingsPlace => ({
    path: `${place.path}.${key}`,
    line: fields.get(key)?.line ?? place.line,
  })
  const before = report.diagnostics.length
  const name = checkName(fields.get('name'), at('name'), report)
  const prompt = checkPrompt(fields.get('systemPrompt'), at('systemPrompt'), report)
  const description = checkText(fields.get('description'), at('description'), report, {
    otherwise: 'other agents cannot tell when to choose this one',
  })
  const useFor = checkText(fields.get('useFor'), at('useFor'), report, {
    otherwise: 'the description stands in for it',
  })
  const delegation = readTagged(
    {
      field: fields.get('delegationPermissions'),
      place: at('delegationPermissions'),
      key: 'agents',
      otherwise: 'the agent may delegate to nobody',
      faultInName: faultInSettingsName,
    },
    report,
  )
  const tools = readTagged(
    {
      field: fields.get('toolPermissions'),
      place: at('toolPermissions'),
      key: 'tools',
      otherwise: 'the agent gets no tools',
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

function checkName(
  field: Located | undefined,
  place: SettingsPlace,
  report: SettingsReport,
): string | undefined {
  const fault =
    field === undefined
      ? 'is missing'
      : typeof field.value === 'string'
        ? faultInSettingsName(field.value)
        : 'is not text'
  if (fault === undefined) return field?.value as string
  const found = field === undefined ? '' : `(${shown(field.value)}) `
  report.error(place, 'settings-name', `${found}${fault}; the agent is left out.`)
  return undefined
}

function checkPrompt(
  field: Located | undefined,
  place: SettingsPlace,
  report: SettingsReport,
): string | undefined {
  const { prompt: most, shortPrompt } = settingsLimits
  const prompt = field?.value
  if (typeof prompt !== 'string' || prompt.trim() === '') {
    const fault =
      field === undefined ? 'is missing' : typeof prompt === 'string' ? 'is empty' : 'must be text'
    report.error(
      place,
      'settings-prompt',
      `${fault}; the agent is left out.`,
      'Write its instructions there.',
    )
    return undefined
  }
  const length = lengthOf(prompt)
  if (length > most) {
    report.error(
      place,
      'settings-prompt',
      `has ${length} characters, and ${most} are the most; the agent is left out.`,
      'Shorten it, or write the agent as a file in .github/agents.',
    )
    return undefined
  }
  if (length < shortPrompt)
    report.warning(
      place,
      'settings-prompt-short',
      `has only ${length} ${length === 1 ? 'character' : 'characters'}; agents need instructions.`,
    )
  return prompt
}

/** A text of one line or two. Without it the agent can be used, if nobody has to choose it. */
function checkText(
  field: Located | undefined,
  place: SettingsPlace,
  report: SettingsReport,
  { otherwise }: { readonly otherwise: string },
): string | undefined {
  const { text: most, longText } = settingsLimits
  const text = field?.value
  if (typeof text !== 'string' || text.trim() === '') {
    const fault = field === undefined ? 'is missing' : typeof text === 'string' ? 'is empty' : 'must be text'
    report.warning(place, 'settings-text', `${fault}; ${otherwise}.`)
    return undefined
  }
  const length = lengthOf(text)
  if (length > most)
    report.error(
      place,
      'settings-text-long',
      `has ${length} characters, and ${most} are the most; the agent is left out.`,
      'Shorten it.',
    )
  else if (length > longText)
    report.warning(place, 'settings-text-long', `has ${length} characters; editors accept ${longText}.`)
  return text.trim()
}
