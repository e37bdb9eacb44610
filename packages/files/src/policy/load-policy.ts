import { lstatSync } from 'node:fs'
import { messageOf } from '@cadre/core'
import type { Diagnostic } from '../diagnostic.ts'
import { closedPolicy, openPolicy, type Policy } from './policy.ts'
import type { PolicyFile, PolicyLevel } from './read-policy-file.ts'

/** Where an organisation's policy is. Nothing can name another place. */
const organisationPolicy = '/etc/cadre/policy.yaml'

export interface PolicyRequest {
  /** For tests only: everything else leaves it as it is. */
  readonly organisation?: string
  /** `~/.config/cadre/policy.yaml`. */
  readonly user?: string
  /** `storage/policy.yaml` of the home. */
  readonly project?: string
}

/** The policy that is in force, and what is to be said about its files. */
export interface LoadedPolicy extends Policy {
  /** With an error among them, nothing may be run: the policy is then as strict as can be. */
  readonly diagnostics: readonly Diagnostic[]
  /** The files that are there, the strongest level first. */
  readonly files: readonly { readonly level: PolicyLevel; readonly path: string }[]
}

/** Reads the policies of all levels. Never throws: a file that cannot be read is an error among the diagnostics. */
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
  // Most machines have no policy at all, and need nothing of what reads one.
  if (read.length === 0) return { ...openPolicy, diagnostics: [], files: [] }
  const files = read.map(({ level, path }) => ({ level, path }))
  const faults = read.flatMap(({ diagnostics }) => diagnostics)
  const diagnostics = [...faults, ...(await remarks(read))]
  const [fault] = faults
  if (fault !== undefined) return { ...closedPolicy(placeOf(fault)), diagnostics, files }
  const { combinePolicies } = await import('./combine-policies.ts')
  return { ...combinePolicies(read), diagnostics, files }
}

async function readIfThere(level: PolicyLevel, path: string): Promise<PolicyFile | undefined> {
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined
    return (await import('./read-policy-file.ts')).readPolicyFile(level, path)
  } catch (error) {
    // A folder that may not be looked into could hold a policy: that is not the same as none.
    const message = `The policy cannot be read: ${messageOf(error)}.`
    const diagnostic: Diagnostic = { path, severity: 'error', code: 'file-unreadable', message }
    return { level, path, get: () => undefined, placeOf: () => path, diagnostics: [diagnostic] }
  }
}

/** What a person should know about files that can be read. */
async function remarks(files: readonly PolicyFile[]): Promise<Diagnostic[]> {
  const { checkProtection } = await import('./check-protection.ts')
  return files.flatMap((file) => {
    const notes = file.level === 'organisation' ? checkProtection(file.path) : []
    if (file.level === 'project' && file.get(granted) === true)
      notes.push(
        note(
          file,
          granted,
          'powerless-key',
          `${granted} has no effect here: a project cannot permit it by itself.`,
        ),
      )
    if (file.get('effects') !== undefined)
      notes.push(
        note(
          file,
          'effects',
          'not-enforced',
          'effects is kept for a later version, and is not enforced yet.',
        ),
      )
    return notes
  })
}

const granted = 'agentMode.autoApproval.enabled'

function note(file: PolicyFile, key: string, code: string, message: string): Diagnostic {
  const line = Number(file.placeOf(key).slice(file.path.length + 1))
  return { path: file.path, line, severity: 'warning', code, message }
}

function placeOf({ path, line }: Diagnostic): string {
  return line === undefined ? path : `${path}:${line}`
}
