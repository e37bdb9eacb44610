import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { takeSnapshot } from './keep-snapshot.ts'

test('checks each path up to the limit, independent of the size of the others', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'cadre-snapshot-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const places = ['a', 'b'].map((name) => path.join(root, name))
  for (const place of places) {
    mkdirSync(place)
    for (const name of ['1', '2', '3']) writeFileSync(path.join(place, name), name)
  }
  const { kept } = takeSnapshot(places, () => false, 4)
  expect(kept.size).toBe(8)
  expect(takeSnapshot(places, () => false, 3).kept.size).toBe(6)
})
