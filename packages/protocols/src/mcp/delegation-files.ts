/**
 * Owns the files of delegations in `storage/delegations` of a home: `ID.json`, the request, and `ID.process.json`, its process.
 *
 * 1. A request is on disk before its process starts, and never changes. It says that a program, and not a person, started the session.
 * 2. Every file is replaced as a whole. A reader sees the old or the new content.
 * 3. An unreadable file counts as missing: Cadre then neither resumes nor cancels the run for a program.
 */
import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isObject, namesIn, ownerOnly, readRegular } from '@cadre/disk'
import { type Home, isSessionName } from '@cadre/home'
import type { Delegation, DelegationProcess } from './delegation.ts'

export interface DelegationFiles {
  readonly folder: string
  add(delegation: Delegation): void
  read(id: string): Delegation | undefined
  ids(): readonly string[]
  process(id: string): DelegationProcess | undefined
  setProcess(id: string, process: DelegationProcess): void
  /** The file that receives the output of the process. */
  log(id: string): string
}

const folderNames = ['storage', 'delegations'] as const
const requestEnding = '.json'
const processEnding = '.process.json'

export function openDelegationFiles(home: Home): DelegationFiles {
  const at = (name: string) => home.at(...folderNames, name)
  const write = (name: string, value: object) =>
    replaceFile(path.join(home.folder(...folderNames), name), `${JSON.stringify(value)}\n`)
  const readObject = (name: string): Record<string, unknown> | undefined => {
    try {
      const value: unknown = JSON.parse(readRegular(at(name)).toString('utf8'))
      return isObject(value) ? value : undefined
    } catch {
      return undefined
    }
  }
  return {
    folder: home.at(...folderNames),
    add: (delegation) => write(`${delegation.id}${requestEnding}`, delegation),
    read(id) {
      if (!isSessionName(id)) return undefined
      const value = readObject(`${id}${requestEnding}`)
      return value !== undefined && isDelegation(value) && value.id === id ? value : undefined
    },
    ids: () =>
      foundIn(home.at(...folderNames)).flatMap((name) =>
        name.endsWith(requestEnding) && !name.endsWith(processEnding) && !name.startsWith('.')
          ? [name.slice(0, -requestEnding.length)]
          : [],
      ),
    process(id) {
      const value = readObject(`${id}${processEnding}`)
      return value !== undefined && typeof value['launched'] === 'number'
        ? (value as unknown as DelegationProcess)
        : undefined
    },
    setProcess: (id, process) => write(`${id}${processEnding}`, process),
    log: (id) => at(`${id}.log`),
  }
}

function foundIn(folder: string): readonly string[] {
  try {
    return namesIn(folder)
  } catch {
    return []
  }
}

function isDelegation(value: Record<string, unknown>): value is Record<string, unknown> & Delegation {
  const texts = ['id', 'work', 'workspace', 'host', 'created']
  const others = ['agent', 'team', 'trace']
  return (
    texts.every((key) => typeof value[key] === 'string') &&
    others.every((key) => value[key] === undefined || typeof value[key] === 'string') &&
    (value['readOnly'] === undefined || value['readOnly'] === true)
  )
}

/** Durable, because the caller tells another program that the work is accepted. */
function replaceFile(file: string, text: string): void {
  const draft = path.join(path.dirname(file), `.${randomBytes(6).toString('hex')}.tmp`)
  const opened = openSync(draft, 'wx', ownerOnly)
  try {
    writeFileSync(opened, text)
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
  renameSync(draft, file)
}
