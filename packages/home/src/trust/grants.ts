import { createHash } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { type Allowed, CadreError, isAllowed, sentenceOf } from '@cadre/core'
import { makeFolder } from '@cadre/disk'
import { readHomeIdentity } from './home-identity.ts'
import { readUserRecord } from './read-user-record.ts'
import type { TrustItem } from './trust.ts'
import { rememberOwnWrite } from './unsandboxed-command.ts'

/** The flags a person gave when they started or resumed a run. */
export interface Grant {
  /** `--allow`. */
  readonly allow: readonly Allowed[]
  /** `--trust`: everything in the folder that needed trust at that time, its home included. Absent without the flag. */
  readonly trust?: readonly TrustItem[]
}

/** Records the flags of single runs, so that they apply again when the runs are resumed. Stored outside all homes. */
export interface Grants {
  /** `undefined` unless this user granted something to this run, in this home, on this machine. */
  of(home: string, root: string): Grant | undefined
  /** Adds to earlier grants. Throws `configuration` when the file cannot be written. */
  add(home: string, root: string, grant: Grant): void
}

/**
 * `folder` is `~/.config/cadre/grants`, with one file per run. The file's name and its content bind it to the run, the home's
 * identity, the user and the machine. A file that is bound to anything else grants nothing.
 */
export function openGrants(folder: string): Grants {
  const grants: Grants = {
    of(home, root) {
      const run = boundTo(home, root)
      return run && readGrant(fileOf(folder, run), run)
    },
    add(home, root, { allow, trust }) {
      const run = boundTo(home, root)
      if (run === undefined)
        throw new CadreError(
          'not_found',
          "Cadre cannot record this run's --allow and --trust flags, because its home directory (.cadre) does not exist. Repeat the flags when you resume the run.",
          {
            where: home,
          },
        )
      const before = readGrant(fileOf(folder, run), run)
      const kept = trust ?? before?.trust
      const grant: Grant = {
        allow: [...new Set([...(before?.allow ?? []), ...allow])],
        ...(kept && { trust: kept }),
      }
      if (JSON.stringify(grant) !== JSON.stringify(before))
        write(fileOf(folder, run), `${JSON.stringify({ ...run, ...grant }, undefined, 2)}\n`)
    },
  }
  return grants
}

/** Everything a grant is bound to. */
interface GrantedRun {
  readonly home: string
  readonly identity: string
  readonly session: string
  readonly user: string
  readonly machine: string
}

function boundTo(home: string, session: string): GrantedRun | undefined {
  const found = readHomeIdentity(home)
  if (found === undefined) return undefined
  const user = process.getuid === undefined ? '' : String(process.getuid())
  return { home: found.path, identity: found.identity, session, user, machine: machineOf() }
}

/** A home can be on a disk that several machines share. */
function machineOf(): string {
  try {
    return readFileSync('/etc/machine-id', 'utf8').trim() || hostname()
  } catch {
    return hostname()
  }
}

function fileOf(folder: string, run: GrantedRun): string {
  const digest = createHash('sha256').update(JSON.stringify(run)).digest('hex')
  return path.join(folder, `${digest.slice(0, 32)}.json`)
}

function readGrant(file: string, run: GrantedRun): Grant | undefined {
  const text = readUserRecord(file)
  if (text === undefined) return undefined
  let found: Partial<Grant & GrantedRun>
  try {
    found = JSON.parse(text) as Partial<Grant & GrantedRun>
  } catch {
    return undefined
  }
  if ((Object.keys(run) as (keyof GrantedRun)[]).some((key) => found[key] !== run[key])) return undefined
  const { allow, trust } = found
  if (!Array.isArray(allow) || !allow.every(isAllowed)) return undefined
  return { allow, ...(Array.isArray(trust) && { trust }) }
}

function write(file: string, text: string): void {
  const draft = `${file}.${process.pid}.tmp`
  try {
    makeFolder(path.dirname(file), () => 0o700)
    writeFileSync(draft, text, { mode: 0o600 })
    renameSync(draft, file)
    rememberOwnWrite(file, text)
  } catch (error) {
    rmSync(draft, { force: true })
    throw new CadreError(
      'configuration',
      `Cadre cannot record this run's --allow and --trust flags: ${sentenceOf(error)} Repeat the flags when you resume the run.`,
      { where: file, cause: error },
    )
  }
}
