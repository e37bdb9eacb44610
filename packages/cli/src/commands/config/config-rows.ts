import path from 'node:path'
import { CadreError, type Json } from '@cadre/core'
import { maskUserinfo, showDiagnostic } from '@cadre/disk'
import { type ConfigFile, type Policy, readConfigFile, settingsIn } from '@cadre/home'
import { homeOf, loadPolicyFor, untrustedItems, userPaths } from '@cadre/runtime'
import type { Io } from '../../io.ts'

/** A setting in effect. */
export interface ConfigRow {
  readonly key: string
  readonly value: Json
  readonly source: 'user' | 'project' | 'environment' | 'policy'
  /** `path:line`, or the name of an environment variable. */
  readonly from: string
  /** Values of the same key that do not apply, strongest first. */
  readonly overrides?: readonly Omit<ConfigRow, 'key' | 'overrides'>[]
}

/** Environment variables that set a key. Those with secrets are not settings. */
const variables: { readonly [key: string]: string } = {
  model: 'CADRE_MODEL',
  'openai.baseUrl': 'OPENAI_BASE_URL',
  'anthropic.baseUrl': 'ANTHROPIC_BASE_URL',
}

export interface ConfigPaths {
  readonly user: string
  readonly project: string
  /** True if the settings of the project apply. */
  readonly isTrusted: boolean
}

export async function configPaths(io: Io, wanted: string | undefined): Promise<ConfigPaths> {
  const home = homeOf(io, wanted)
  return {
    user: userPaths(io.env).config,
    project: path.join(home.path, 'config.yaml'),
    isTrusted: (await untrustedItems(io, home)).length === 0,
  }
}

/** Returns every setting in effect with its source, in file order, without passwords in addresses. Rejects if a file is invalid. */
export async function configRows(io: Io, wanted: string | undefined): Promise<ConfigRow[]> {
  const { user, project, isTrusted } = await configPaths(io, wanted)
  const policy = await loadPolicyFor(io, homeOf(io, wanted), isTrusted)
  const found = new Map<string, Omit<ConfigRow, 'key' | 'overrides'>[]>()
  // Strongest first.
  const add = (key: string, row: Omit<ConfigRow, 'key' | 'overrides'>) =>
    void found.set(key, [{ ...row, value: masked(row.value) }, ...(found.get(key) ?? [])])
  for (const [source, file] of [
    ['user', readChecked(user)],
    ['project', isTrusted ? readChecked(project) : undefined],
  ] as const)
    for (const { key, value, file: at, line } of file === undefined ? [] : settingsIn(file))
      add(key, { value, source, from: `${at}:${line}` })
  for (const [key, variable] of Object.entries(variables)) {
    const value = io.env[variable]?.trim()
    if (value) add(key, { value, source: 'environment', from: variable })
  }
  for (const { key, value, from } of policyRows(policy)) {
    const [now] = found.get(key) ?? []
    const lowers = typeof value !== 'number' || typeof now?.value !== 'number' || value < now.value
    if (lowers) add(key, { value, source: 'policy', from })
  }
  return [...found].flatMap(([key, [row, ...overrides]]) =>
    row === undefined ? [] : [{ key, ...row, ...(overrides.length > 0 && { overrides }) }],
  )
}

/** Addresses may contain passwords. */
function masked(value: Json): Json {
  return JSON.parse(maskUserinfo(JSON.stringify(value))) as Json
}

function readChecked(file: string): ConfigFile | undefined {
  const read = readConfigFile(file)
  if (read !== undefined && read.diagnostics.length > 0)
    throw new CadreError('configuration', read.diagnostics.map(showDiagnostic).join('\n'))
  return read
}

/** Policy values that are also configuration keys. */
function policyRows({ limits, modelAliases, decidedBy }: Policy) {
  const { budget, ...others } = limits
  const rows: [key: string, value: Json | undefined, decided: string][] = [
    ...Object.entries(others).map(
      ([key, value]) => [`limits.${key}`, value, `limits.${key}`] as [string, number, string],
    ),
    ...Object.entries(budget ?? {}).map(
      ([key, value]) => [`budget.${key}`, value, `limits.budget.${key}`] as [string, number, string],
    ),
    ...Object.entries(modelAliases).map(
      ([name, value]) => [`aliases.${name}`, value, `models.aliases.${name}`] as [string, string, string],
    ),
  ]
  return rows.flatMap(([key, value, decided]) =>
    value === undefined ? [] : [{ key, value, from: decidedBy.get(decided) ?? 'the policy' }],
  )
}
