import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock, Draft, Entry, Run } from '@cadre/core'
import { type Home, openHome } from '@cadre/home'
import { onTestFinished } from 'vitest'
import type { JournalDiagnostic } from './engine-parts.ts'
import { createFileEngine, type FileEngine, type FileEngineOptions } from './file-engine.ts'

/** Creates a temporary folder for one test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-files-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export function temporaryHome(): Home {
  return openHome({ home: join(temporaryFolder(), 'home'), cwd: '/', env: {} })
}

/** A clock that advances by one millisecond with each reading. */
export function countingClock(): Clock {
  let time = Date.UTC(2026, 10, 15)
  return {
    now: () => time++,
    after(_ms, callback) {
      const handle = setImmediate(callback)
      return () => clearImmediate(handle)
    },
  }
}

export interface TestEngine extends FileEngine {
  readonly diagnostics: JournalDiagnostic[]
}

export async function testEngine(home: Home, options: Partial<FileEngineOptions> = {}): Promise<TestEngine> {
  const diagnostics: JournalDiagnostic[] = []
  const engine = await createFileEngine({
    home,
    clock: countingClock(),
    diagnostics: (diagnostic) => diagnostics.push(diagnostic),
    ...options,
  })
  return { ...engine, diagnostics }
}

/** The identity of a process that does not exist, so its engine leaves the files of a killed process. */
export const dead = { pid: 2 ** 30, start: '1' }

export function pathOf(home: Home, id: string): string {
  return home.at('sessions', `${id}.session.yaml`)
}

export function textOf(home: Home, id: string): string {
  return readFileSync(pathOf(home, id), 'utf8')
}

export function edit(home: Home, id: string, change: (text: string) => string): void {
  writeFileSync(pathOf(home, id), change(textOf(home, id)))
}

let steps = 0

/** Records one message of a person. */
export async function say(run: Run, content: string, durable = false): Promise<Entry> {
  const [entry] = await record(run, [{ role: 'user', content }], durable)
  return entry as Entry
}

export function record(run: Run, drafts: readonly Draft[], durable = false): Promise<readonly Entry[]> {
  return run.step(`step-${steps++}`, () => drafts, { durable })
}

/** The messages, without the entries that the journal adds. */
export function said(entries: readonly Entry[] | undefined): (string | null)[] {
  return (entries ?? []).flatMap((entry) => (entry.role === 'event' ? [] : [entry.content]))
}
