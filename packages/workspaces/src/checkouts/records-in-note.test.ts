import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openHome } from '@cadre/home'
import { expect, onTestFinished, test } from 'vitest'
import { writeRecord } from '../workspace-record.ts'
import { createCheckoutPaths } from './checkout-paths.ts'
import { recordsInNote } from './records-in-note.ts'
import type { SnapshotWorkspace } from './snapshot-note.ts'

const commit = 'a'.repeat(40)

function openTree() {
  const top = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-note-')))
  onTestFinished(() => rmSync(top, { recursive: true, force: true }))
  const home = openHome({ home: top, cwd: top, env: {} })
  const workspaces = home.folder('workspaces')
  const checkouts = path.join(workspaces, '.checkouts', 'host-1')
  const options = {
    home,
    paths: createCheckoutPaths({ checkouts, workspaces }),
    root: 'lead-1',
    folder: path.join(checkouts, 'lead-1'),
  }
  const read = (...changed: Partial<SnapshotWorkspace>[]) => {
    const workspace = {
      session: 'child-1',
      agent: 'child',
      path: '/cadre/workspaces/child-1',
      base: '/cadre/checkouts/lead-1',
      target: '/cadre/checkouts/lead-1',
      branch: 'cadre/child-1',
      start: commit,
      tip: commit,
      created: '2026-01-01T00:00:00.000Z',
    }
    const listed = changed.map((one) => ({ ...workspace, ...one }))
    return recordsInNote({ start: commit, head: commit, headRef: null, workspaces: listed }, options)
  }
  return { home, workspaces, read }
}

test('restores workspaces of the tree, also those inside each other', () => {
  const { read, workspaces } = openTree()
  const inner = { session: 'child-2', path: '/cadre/workspaces/child-2', base: '/cadre/workspaces/child-1' }
  expect(read({}, inner)).toMatchObject([
    { session: 'child-1', root: 'lead-1', top: path.join(workspaces, 'child-1'), state: 'ready' },
    { session: 'child-2', base: path.join(workspaces, 'child-1') },
  ])
})

test.each<[string, Partial<SnapshotWorkspace>]>([
  ['the checkout of another tree as its target', { target: '/cadre/checkouts/other-1' }],
  ['the workspace of another session as its base', { base: '/cadre/workspaces/other-1' }],
  ['a folder of another session', { path: '/cadre/workspaces/other-1' }],
  ['a folder outside', { target: '/etc' }],
  ['a path that leaves its folder', { path: '/cadre/workspaces/child-1/../other-1' }],
])('refuses a note with %s', (_, changed) => {
  expect(openTree().read(changed)).toBeUndefined()
})

test('refuses a note with a session of another tree', () => {
  const { home, read } = openTree()
  const [record] = read({ session: 'other-2', path: '/cadre/workspaces/other-2' }) ?? []
  if (record === undefined) throw new Error('the note is valid')
  writeRecord(home, { ...record, root: 'other-1' })
  expect(read({ session: 'other-2', path: '/cadre/workspaces/other-2' })).toBeUndefined()
})
