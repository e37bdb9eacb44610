import type { JsonObject } from '@cadre/core'
import { settingsNamespace } from '../settings/find-configuration.ts'
import { jsonParser } from '../settings/json-parser.ts'
import { readJson } from '../settings/read-json.ts'

export type EditedSettings =
  | { readonly kind: 'edited'; readonly text: string }
  /** The settings cannot be edited, or already contain agents. The reason follows the path in the message. */
  | { readonly kind: 'refused'; readonly line: number; readonly reason: string; readonly isTaken: boolean }

export interface EditRequest {
  readonly path: string
  /** The current content; absent if the file does not exist. */
  readonly text?: string
  /** `{entryAgent, agents}`. */
  readonly value: JsonObject
  /** True if existing agents may be replaced. */
  readonly replace: boolean
}

const definingKeys = ['agents', 'coordinator', 'customAgents']

/** Writes agents to editor settings. Everything else stays unchanged, including comments. */
export function editSettings({ path, text = '{}\n', value, replace }: EditRequest): EditedSettings {
  const { root, diagnostics } = readJson({ path, text })
  const broken = diagnostics.find(({ severity }) => severity === 'error')
  if (root?.fields === undefined || broken !== undefined) {
    const reason = broken?.message ?? 'Settings must be an object.'
    return { kind: 'refused', line: broken?.line ?? 1, reason, isTaken: false }
  }
  const { fields } = root
  const nested = fields.get(settingsNamespace)?.fields
  const isDotted = [...fields.keys()].some((key) => key.startsWith(`${settingsNamespace}.`))
  const at = (key: string) =>
    nested !== undefined && !isDotted ? [settingsNamespace, key] : [`${settingsNamespace}.${key}`]
  const places = definingKeys.flatMap(
    (key) => fields.get(`${settingsNamespace}.${key}`) ?? nested?.get(key) ?? [],
  )
  const [taken] = places
  if (taken !== undefined && !replace) {
    const reason = 'These settings already contain agents.'
    return { kind: 'refused', line: taken.line, reason, isTaken: true }
  }
  const { modify, applyEdits } = jsonParser()
  const isTabbed = /^\t/m.test(text)
  const formattingOptions = {
    insertSpaces: !isTabbed,
    tabSize: Math.max(1, /^( +)\S/m.exec(text)?.[1]?.length ?? 2),
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  }
  let edited = text
  for (const key of ['entryAgent', ...definingKeys]) {
    // The older keys would contradict the new ones.
    const written = key === 'entryAgent' || key === 'agents' ? value[key] : undefined
    if (written === undefined && !fields.has(at(key)[0] as string)) continue
    edited = applyEdits(edited, modify(edited, at(key), written, { formattingOptions }))
  }
  return { kind: 'edited', text: edited }
}
