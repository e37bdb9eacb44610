import type { Diagnostic, Located } from '@cadre/disk'

/** The part of a file that defines agents. */
export interface FoundConfiguration {
  /** Its keys, without the namespace. */
  readonly fields: ReadonlyMap<string, Located>
  readonly line: number
  /** True if it is among other settings, under its namespace: then it has no version, and other keys are ignored. */
  readonly isNamespaced: boolean
  readonly diagnostics: readonly Diagnostic[]
}

export const settingsNamespace = 'copilotMultiAgent'
const ownKeys = ['agents', 'entryAgent', 'coordinator', 'customAgents']

/** Returns `undefined` if the file has no agent settings. */
export function findConfiguration(file: Located, path: string): FoundConfiguration | undefined {
  // A workspace file has its settings one level deeper.
  const root = (/\.code-workspace$/i.test(path) && file.fields?.get('settings')) || file
  const nested = root.fields?.get(settingsNamespace)
  const dotted = [...(root.fields ?? [])].filter(([key]) => key.startsWith(`${settingsNamespace}.`))
  if (nested === undefined && dotted.length === 0) {
    if (isEditorSettings(path) || !ownKeys.some((key) => root.fields?.has(key))) return undefined
    return { fields: root.fields ?? new Map(), line: root.line, isNamespaced: false, diagnostics: [] }
  }
  const fields = new Map(nested?.fields)
  const diagnostics: Diagnostic[] = []
  for (const [written, field] of dotted) {
    const key = written.slice(settingsNamespace.length + 1)
    if (fields.has(key))
      diagnostics.push({
        path,
        line: field.line,
        severity: 'warning',
        code: 'json-duplicate-key',
        message: `${written} is also defined inside ${settingsNamespace}. Cadre uses this one.`,
        fix: 'Remove one of them.',
      })
    fields.set(key, field)
  }
  const line = Math.min(
    ...[nested, ...dotted.map(([, field]) => field)].map((field) => field?.line ?? Infinity),
  )
  return { fields, line, isNamespaced: true, diagnostics }
}

/** In editor settings, a key such as `agents` without a namespace is not Cadre's. */
function isEditorSettings(path: string): boolean {
  return /(^|[\\/])\.vscode[\\/][^\\/]+$|[\\/]Code[\\/]User[\\/]settings\.json$|\.code-workspace$/i.test(path)
}
