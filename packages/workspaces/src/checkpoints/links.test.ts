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
import { createSharedGround } from './checkpoints.spec-helpers.ts'

function createOutside(): string {
  const outside = mkdtempSync(path.join(tmpdir(), 'cadre-outside-'))
  writeFileSync(path.join(outside, 'x.txt'), 'theirs')
  return outside
}

test('an undo removes nothing behind a folder that the turn replaced with a link', async () => {
  const ground = createSharedGround()
  const outside = createOutside()
  await ground.call('c1', 'command', () => ground.write('made/x.txt', 'ours'))
  await ground.call('c2', 'command', () => {
    rmSync(ground.at('made'), { recursive: true })
    symlinkSync(outside, ground.at('made'))
  })
  const applied = await ground.take('undo', { force: true })
  expect(applied.kind).toBe('applied')
  expect(readFileSync(path.join(outside, 'x.txt'), 'utf8')).toBe('theirs')
  expect(existsSync(ground.at('made'))).toBe(false)
  await ground.take('redo')
  expect(readFileSync(path.join(outside, 'x.txt'), 'utf8')).toBe('theirs')
})

test('an undo changes nothing behind a folder that was replaced with a link after the turn', async () => {
  const ground = createSharedGround()
  const outside = createOutside()
  ground.write('kept/x.txt', 'before')
  await ground.call('c1', 'command', () => {
    ground.write('kept/x.txt', 'theirs')
    ground.write('new/x.txt', 'theirs')
  })
  for (const name of ['kept', 'new']) {
    renameSync(ground.at(name), ground.at(`${name}-away`))
    symlinkSync(outside, ground.at(name))
  }
  expect(await ground.take('undo', { force: true })).toMatchObject({
    kind: 'refused',
    plan: {
      conflicts: [
        { path: 'kept/x.txt', canForce: false },
        { path: 'new', canForce: true },
      ],
    },
  })
  expect(await ground.take('undo', { skip: true })).toMatchObject({ kind: 'applied' })
  expect(readFileSync(path.join(outside, 'x.txt'), 'utf8')).toBe('theirs')
})

test('force does not start an undo that a file in the place of a folder would stop halfway', async () => {
  const ground = createSharedGround()
  ground.write('kept/x.txt', 'before')
  await ground.call('c1', 'command', () => ground.write('kept/x.txt', 'after'))
  rmSync(ground.at('kept'), { recursive: true })
  ground.write('kept', 'a file of a person')
  expect(await ground.take('undo', { force: true })).toMatchObject({ kind: 'refused' })
  expect(readFileSync(ground.at('kept'), 'utf8')).toBe('a file of a person')
  expect((await ground.plan()).conflicts).toMatchObject([{ path: 'kept/x.txt', canForce: false }])
})

test('restores a file with a name of the maximum length', async () => {
  const ground = createSharedGround()
  const name = '語'.repeat(85)
  ground.write(name, 'before')
  await ground.call('c1', 'command', () => ground.write(name, 'after'))
  await ground.take('undo')
  expect(readFileSync(ground.at(name), 'utf8')).toBe('before')
})
