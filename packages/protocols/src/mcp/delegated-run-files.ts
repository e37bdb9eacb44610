/**
 * Owns the files of delegated runs in the home's `storage/delegations`: `ID.json`, the request, and `ID.process.json`, its process.
 *
 * 1. A request is on disk before its process starts, and never changes. It records that a program, and not a person, started the session.
 * 2. Every file is replaced as a whole. A reader sees the old or the new content.
 * 3. An unreadable file counts as missing: Cadre then neither resumes nor cancels the run for a program.
 */
import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isObject } from '@cadre/core'
import { namesIn, ownerOnly, readRegularFile } from '@cadre/disk'
import { type Home, isSessionName } from '@cadre/home'
import type { DelegatedRun, DelegatedRunProcess } from './delegated-run.ts'

export interface DelegatedRunFiles {
  readonly folder: string
  add(delegatedRun: DelegatedRun): void
  read(id: string): DelegatedRun | undefined
  ids(): readonly string[]
  process(id: string): DelegatedRunProcess | undefined
  setProcess(id: string, process: DelegatedRunProcess): void
  /** All ids with the time at which their last file was written, in milliseconds since 1970. The oldest first. */
  byAge(): readonly { readonly id: string; readonly written: number }[]
  remove(id: string): void
  /** The file that receives the process's output. */
  log(id: string): string
}

const folderNames = ['storage', 'delegations'] as const
const requestEnding = '.json'
const processEnding = '.process.json'
const logEnding = '.log'

export function openDelegatedRunFiles(home: Home): DelegatedRunFiles {
  const at = (name: string) => home.at(...folderNames, name)
  const write = (name: string, value: object) =>
    replaceFile(path.join(home.folder(...folderNames), name), `${JSON.stringify(value)}\n`)
  const readObject = (name: string): Record<string, unknown> | undefined => {
    try {
      const value: unknown = JSON.parse(readRegularFile(at(name)).toString('utf8'))
      return isObject(value) ? value : undefined
    } catch {
      return undefined
    }
  }
  return {
    folder: home.at(...folderNames),
    add: (delegatedRun) => write(`${delegatedRun.id}${requestEnding}`, delegatedRun),
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
        ? (value as unknown as DelegatedRunProcess)
        : undefined
    },
    setProcess: (id, process) => write(`${id}${processEnding}`, process),
    byAge() {
      const ages = new Map<string, number>()
      for (const name of foundIn(home.at(...folderNames))) {
        const id = idOf(name)
        const written = id === undefined ? undefined : statSync(at(name), { throwIfNoEntry: false })?.mtimeMs
        if (id !== undefined && written !== undefined) ages.set(id, Math.max(written, ages.get(id) ?? 0))
      }
      return [...ages].map(([id, written]) => ({ id, written })).toSorted((a, b) => a.written - b.written)
    },
    remove(id) {
      // Writes the request first, because Cadre does not resume a run without one.
      for (const ending of [requestEnding, processEnding, logEnding])
        rmSync(at(`${id}${ending}`), { force: true })
    },
    log: (id) => at(`${id}${logEnding}`),
  }
}

/** The id in a file's name. */
function idOf(name: string): string | undefined {
  const ending = [processEnding, requestEnding, logEnding].find((one) => name.endsWith(one))
  const id = ending === undefined ? '' : name.slice(0, -ending.length)
  return isSessionName(id) ? id : undefined
}

function foundIn(folder: string): readonly string[] {
  try {
    return namesIn(folder)
  } catch {
    return []
  }
}

function isDelegation(value: Record<string, unknown>): value is Record<string, unknown> & DelegatedRun {
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
