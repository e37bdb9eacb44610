import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { RunningCallFiles } from './running-call-files.ts'

const one = { id: 'lead-1/c1', turn: '1-lead-1', scope: 'all' } as const
const two = { id: 'lead-1/c2', turn: '1-lead-1', scope: ['a.txt'] } as const

function makeFolder() {
  const top = mkdtempSync(path.join(tmpdir(), 'running-'))
  onTestFinished(() => rmSync(top, { recursive: true, force: true }))
  const folder = path.join(top, 'running')
  mkdirSync(folder)
  const files = () => readdirSync(folder).map((name) => path.join(folder, name))
  /** As if the machine had restarted since. */
  const kill = (file: string) => {
    const note = JSON.parse(readFileSync(file, 'utf8'))
    writeFileSync(file, JSON.stringify({ ...note, process: { ...note.process, boot: 'an earlier one' } }))
  }
  return { top, folder, files, kill }
}

test('another process sees the calls of a process, which are in one file, until they finish', () => {
  const { folder, files } = makeFolder()
  const [mine, other] = [new RunningCallFiles(folder), new RunningCallFiles(folder)]
  mine.change({ start: [one, two] })
  expect(files()).toHaveLength(1)
  expect(other.list()).toEqual([one, two])
  mine.change({ finish: [one.id] })
  expect(other.list()).toEqual([two])
  expect(other.dead().calls).toEqual([])
  mine.change({ finish: [two.id] })
  expect([other.list(), files()]).toEqual([[], []])
})

test('finds every call of a process that was killed, and forgets only those', () => {
  const { folder, files, kill } = makeFolder()
  const [killed, mine] = [new RunningCallFiles(folder), new RunningCallFiles(folder)]
  killed.change({ start: [one, two] })
  kill(files()[0] as string)
  mine.change({ start: [one] })
  const dead = mine.dead()
  expect(dead.calls).toEqual([one, two])
  dead.forget()
  expect([mine.list(), new RunningCallFiles(folder).list(), mine.dead().calls]).toEqual([[one], [one], []])
})

test('a process killed during a write leaves the calls that were recorded before it', () => {
  const { top, folder } = makeFolder()
  const killed = new RunningCallFiles(folder)
  killed.change({ start: [one] })
  writeFileSync(path.join(top, 'running.tmp'), '{"process":{"pid"')
  const next = new RunningCallFiles(folder)
  expect(next.list()).toEqual([one])
  next.change({ start: [two] })
  expect(killed.list()).toEqual([one, two])
})

test('reads the files of earlier builds, one for each call', () => {
  const { folder, files, kill } = makeFolder()
  const before = new RunningCallFiles(folder)
  before.change({ start: [one] })
  const file = files()[0] as string
  const { process, calls } = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...calls[0], process }))
  const now = new RunningCallFiles(folder)
  expect([now.list(), now.dead().calls]).toMatchObject([[one], []])
  kill(file)
  expect(now.dead().calls).toMatchObject([one])
})
