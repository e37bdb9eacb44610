import { lstatSync } from 'node:fs'
import { sentenceOf } from '@cadre/core'
import type { Diagnostic } from '@cadre/disk'
import type { TrustItem } from '../trust/trust.ts'
import { type Policy, permissivePolicy, restrictivePolicy } from './policy.ts'
import type { PolicyFile, PolicyLevel } from './read-policy-file.ts'

/** The path of the organisation's policy. No setting can change it. */
const organisationPolicy = '/etc/cadre/policy.yaml'

export interface PolicyRequest {
  /** For tests only. */
  readonly organisation?: string
  /** `~/.config/cadre/policy.yaml`. */
  readonly user?: string
  /** `storage/policy.yaml` in the home. */
  readonly project?: string
  /** Returns whether a person trusts what the project's file permits beyond the defaults. Default: nothing is trusted. */
  readonly trusted?: (item: TrustItem) => boolean
}

/** What a project's file would permit if it were trusted. */
export interface WideningPolicy extends TrustItem {
  readonly keys: readonly { readonly key: string; readonly value: string; readonly line: number }[]
}

/** The effective policy, and the diagnostics about its files. */
export interface LoadedPolicy extends Policy {
  /** If one is an error, nothing may run: the policy is then the strictest possible. */
  readonly diagnostics: readonly Diagnostic[]
  /** The existing files, the highest level first. */
  readonly files: readonly { readonly level: PolicyLevel; readonly path: string }[]
  /** The parts of the project's file that do not apply because they are not trusted. */
  readonly untrusted?: WideningPolicy
}

/** Reads the policies of all levels. Never throws: an unreadable file is an error in the diagnostics. */
export async function loadPolicy(request: PolicyRequest): Promise<LoadedPolicy> {
  const places: readonly [PolicyLevel, string | undefined][] = [
    ['organisation', request.organisation ?? organisationPolicy],
    ['user', request.user],
    ['project', request.project],
  ]
  const read: PolicyFile[] = []
  for (const [level, path] of places) {
    const file = path === undefined ? undefined : await readIfThere(level, path)
    if (file !== undefined) read.push(file)
  }
  // Most machines have no policy, and need not load the code that reads it.
  if (read.length === 0) return { ...permissivePolicy, diagnostics: [], files: [] }
  const files = read.map(({ level, path }) => ({ level, path }))
  const faults = read.flatMap(({ diagnostics }) => diagnostics)
  const diagnostics = [...faults, ...(await remarks(read))]
  const [fault] = faults
  if (fault !== undefined) return { ...restrictivePolicy(placeOf(fault)), diagnostics, files }
  const { combinePolicies } = await import('./combine-policies.ts')
  const { counted, untrusted } = await removeUntrusted(read, request.trusted)
  return { ...combinePolicies(counted), diagnostics, files, ...(untrusted && { untrusted }) }
}

/**
 * Returns what the project's policy would permit beyond the defaults, or `undefined` if it only restricts, is invalid or does not exist.
 */
export async function inspectProjectPolicy(path: string): Promise<WideningPolicy | undefined> {
  const file = await readIfThere('project', path)
  return file === undefined || file.diagnostics.length > 0 ? undefined : wideningOf(file)
}

async function wideningOf(file: PolicyFile): Promise<WideningPolicy | undefined> {
  const { keysThatPermitMore } = await import('./keys-that-permit-more.ts')
  const keys = keysThatPermitMore(file)
  if (keys.length === 0) return undefined
  return {
    path: file.path,
    sha256: file.sha256(),
    keys: keys.map((key) => ({ key, value: JSON.stringify(file.get(key)), line: lineOf(file, key) })),
  }
}

/** Removes keys of the project's file that need trust. Restrictions always apply. */
async function removeUntrusted(
  files: readonly PolicyFile[],
  trusted: PolicyRequest['trusted'],
): Promise<{ readonly counted: readonly PolicyFile[]; readonly untrusted?: WideningPolicy }> {
  const project = files.find(({ level }) => level === 'project')
  const widening = project && (await wideningOf(project))
  if (project === undefined || widening === undefined || trusted?.(widening) === true)
    return { counted: files }
  const { withoutKeys } = await import('./keys-that-permit-more.ts')
  const above = files.filter((file) => file !== project)
  // If a higher level lists variables, this list can only remove some.
  const isNarrowing = above.some((file) => file.get('environment') !== undefined)
  const untrusted = widening.keys.filter(({ key }) => key !== 'environment' || !isNarrowing)
  const counted = [
    ...above,
    withoutKeys(
      project,
      untrusted.map(({ key }) => key),
    ),
  ]
  return { counted, ...(untrusted.length > 0 && { untrusted: { ...widening, keys: untrusted } }) }
}

async function readIfThere(level: PolicyLevel, path: string): Promise<PolicyFile | undefined> {
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined
    return (await import('./read-policy-file.ts')).readPolicyFile(level, path)
  } catch (error) {
    // An unreadable folder could contain a policy, so this is not the same as none.
    const message = `Cannot read the policy: ${sentenceOf(error)}`
    const { brokenPolicyFile } = await import('./read-policy-file.ts')
    return brokenPolicyFile(level, { path, severity: 'error', code: 'file-unreadable', message })
  }
}

/** Returns remarks about readable files. */
async function remarks(files: readonly PolicyFile[]): Promise<Diagnostic[]> {
  const { checkProtection } = await import('./check-protection.ts')
  return files.flatMap((file) => (file.level === 'organisation' ? checkProtection(file.path) : []))
}

function lineOf(file: PolicyFile, key: string): number {
  return Number(file.placeOf(key).slice(file.path.length + 1))
}

function placeOf({ path, line }: Diagnostic): string {
  return line === undefined ? path : `${path}:${line}`
}
