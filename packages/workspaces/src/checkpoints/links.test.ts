import {
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createSharedFixture } from './checkpoints.spec-helpers.ts'

function createOutside(): string {
  const outside = mkdtempSync(path.join(tmpdir(), 'cadre-outside-'))
  writeFileSync(path.join(outside, 'x.txt'), 'theirs')
  return outside
}

test('an undo removes nothing behind a folder that the turn replaced with a link', async () => {
  const fixture = createSharedFixture()
  const outside = createOutside()
  await fixture.call('c1', 'command', () => fixture.write('made/x.txt', 'ours'))
  await fixture.call('c2', 'command', () => {
    rmSync(fixture.at('made'), { recursive: true })
    symlinkSync(outside, fixture.at('made'))
  })
  const applied = await fixture.take('undo', { force: true })
  expect(applied.kind).toBe('applied')
  expect(readFileSync(path.join(outside, 'x.txt'), 'utf8')).toBe('theirs')
  expect(existsSync(fixture.at('made'))).toBe(false)
  await fixture.take('redo')
  expect(readFileSync(path.join(outside, 'x.txt'), 'utf8')).toBe('theirs')
})

test('an undo changes nothing behind a folder that was replaced with a link after the turn', async () => {
  const fixture = createSharedFixture()
  const outside = createOutside()
  fixture.write('kept/x.txt', 'before')
  await fixture.call('c1', 'command', () => {
    fixture.write('kept/x.txt', 'theirs')
    fixture.write('new/x.txt', 'theirs')
  })
  for (const name of ['kept', 'new']) {
    renameSync(fixture.at(name), fixture.at(`${name}-away`))
    symlinkSync(outside, fixture.at(name))
  }
  expect(await fixture.take('undo', { force: true })).toMatchObject({
    kind: 'refused',
    plan: {
      conflicts: [
        { path: 'kept/x.txt', canForce: false },
        { path: 'new', canForce: true },
      ],
    },
  })
  expect(await fixture.take('undo', { skip: true })).toMatchObject({ kind: 'applied' })
  expect(readFileSync(path.join(outside, 'x.txt'), 'utf8')).toBe('theirs')
})

test('force does not start an undo that a file in the place of a folder would stop halfway', async () => {
  const fixture = createSharedFixture()
  fixture.write('kept/x.txt', 'before')
  await fixture.call('c1', 'command', () => fixture.write('kept/x.txt', 'after'))
  rmSync(fixture.at('kept'), { recursive: true })
  fixture.write('kept', 'a file of a person')
  expect(await fixture.take('undo', { force: true })).toMatchObject({ kind: 'refused' })
  expect(readFileSync(fixture.at('kept'), 'utf8')).toBe('a file of a person')
  expect((await fixture.plan()).conflicts).toMatchObject([{ path: 'kept/x.txt', canForce: false }])
})

test('restores a file with a name of the maximum length', async () => {
  const fixture = createSharedFixture()
  const name = '語'.repeat(85)
  fixture.write(name, 'before')
  await fixture.call('c1', 'command', () => fixture.write(name, 'after'))
  await fixture.take('undo')
  expect(readFileSync(fixture.at(name), 'utf8')).toBe('before')
})
