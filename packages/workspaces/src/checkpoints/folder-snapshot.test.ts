import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { folderState } from './file-state.ts'
import { FolderSnapshot } from './folder-snapshot.ts'
import { folderStats } from './path-stats.ts'

function snapshotFile(): string {
  const at = mkdtempSync(path.join(tmpdir(), 'cadre-picture-'))
  onTestFinished(() => rmSync(at, { recursive: true, force: true }))
  return path.join(at, 'picture.json')
}

function read(file: string): FolderSnapshot {
  const picture = new FolderSnapshot(file)
  picture.load()
  return picture
}

test('appends changes, and another process reads them', () => {
  const file = snapshotFile()
  const picture = read(file)
  for (let index = 0; index < 1000; index++) picture.set(`f${index}`, folderState, folderStats, 1)
  picture.save()
  const { size } = statSync(file)
  picture.set('f1', { kind: 'link', target: 'x' }, folderStats, 2)
  picture.set('f2', folderState, undefined, 2)
  picture.save()
  expect(statSync(file).size - size).toBeLessThan(300)
  const again = read(file)
  expect(again.generation).toBe(2)
  expect(again.stateOf('f1')).toEqual({ kind: 'link', target: 'x' })
  expect(again.stateOf('f2')).toEqual({ kind: 'absent' })
  expect([...again.paths()]).toHaveLength(999)
})

test('ignores a torn line, and the next save is complete', () => {
  const file = snapshotFile()
  const picture = read(file)
  picture.set('a', folderState, folderStats, 1)
  picture.save()
  appendFileSync(file, '{"format":2,"generation":7,"rows":[["b",{"ki')
  const again = read(file)
  expect([...again.paths()]).toEqual(['a'])
  expect(again.generation).toBe(1)
  again.set('c', folderState, folderStats, 1)
  again.save()
  expect([...read(file).paths()].sort()).toEqual(['a', 'c'])
  expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(1)
})
