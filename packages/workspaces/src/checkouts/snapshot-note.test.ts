import { expect, test } from 'vitest'
import { noteMessage, readNote, refNameOf, type SnapshotNote } from './snapshot-note.ts'

const commit = 'a'.repeat(40)
const workspace = {
  ...{ session: 'child-1', agent: 'child', branch: 'cadre/child-1', start: commit, tip: commit },
  ...{
    path: '/cadre/workspaces/child-1',
    base: '/cadre/checkouts/lead-1',
    target: '/cadre/checkouts/lead-1',
  },
  created: '2026-01-01',
}
const note: SnapshotNote = {
  start: commit,
  head: commit,
  headRef: 'refs/heads/cadre/lead-1',
  workspaces: [workspace],
}

test('reads a note back from the message of a commit', () => {
  expect(readNote(noteMessage('Files', note, 'n'))).toEqual(note)
  const ended = { ...note, headRef: null, result: { branch: 'cadre/lead-1', commit } }
  expect(readNote(noteMessage('Files', ended, 'n'))).toEqual(ended)
})

test.each([
  ['no note', 'a commit of a person'],
  ['an option instead of a commit', noteMessage('x', { ...note, head: '--output=x' }, 'n')],
  ['a branch with a strange name', noteMessage('x', { ...note, headRef: 'refs/heads/../x' }, 'n')],
  ['a ref that is not a branch', noteMessage('x', { ...note, headRef: 'refs/tags/x' }, 'n')],
  [
    'a session that is a path',
    noteMessage('x', { ...note, workspaces: [{ ...workspace, session: '../x' }] }, 'n'),
  ],
  ["a person's branch", noteMessage('x', { ...note, workspaces: [{ ...workspace, branch: 'main' }] }, 'n')],
])('rejects %s', (_, message) => {
  expect(readNote(message)).toBeUndefined()
})

test('different sessions have different refs, and all are valid', () => {
  expect(refNameOf('lead-k3x09q2f')).toBe('lead-k3x09q2f')
  expect(refNameOf('a b.lock')).toBe('a%20b%2Elock')
  expect(refNameOf('ä')).toBe('%C3%A4')
})
