import { hash } from 'node:crypto'
import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSharedFixture, type Edit, edit } from './checkpoints.spec-helpers.ts'

const names = [
  'a.txt',
  'b.txt',
  'new.txt',
  'sub/deep/c.txt',
  'sub',
  'ignored/out.js',
  'local.env',
  'we"ird\nname',
  '"quoted"',
  'nested/inner.txt',
]
const name = fc.constantFrom(...names)
const text = fc.constantFrom('one\n', 'two\r\nlines\r\n', '', '\0binary\xff', 'secret=1\n')

const anyEdit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('write' as const), name, text }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), name }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('move' as const), name, to: name }) },
  fc.record({ kind: fc.constant('mode' as const), name, mode: fc.constantFrom(0o600, 0o644, 0o755) }),
  fc.record({ kind: fc.constant('link' as const), name, to: fc.constantFrom('a.txt', 'nowhere', '../..') }),
  fc.record({ kind: fc.constant('folder' as const), name: fc.constantFrom('empty', 'sub/empty', 'new.txt') }),
)

/** The actor: a tool that names the file, a command, or a person outside any call. */
const anyAct = fc.oneof(
  { weight: 3, arbitrary: fc.record({ by: fc.constant('tool' as const), edit: anyEdit }) },
  { weight: 3, arbitrary: fc.record({ by: fc.constant('command' as const), edit: anyEdit }) },
  { weight: 1, arbitrary: fc.record({ by: fc.constant('person' as const), edit: anyEdit }) },
)

function createTemplate(git: boolean) {
  const fixture = createSharedFixture({ git })
  fixture.write('.gitignore', 'ignored/\n*.env\n')
  fixture.write('ignored/out.js', 'built\n')
  fixture.write('local.env', 'secret=0\n')
  fixture.write('nested/.git/HEAD', 'ref: refs/heads/main\n')
  fixture.write('nested/inner.txt', 'inner\n')
  if (!git) return fixture
  fixture.write('stashed.txt', 'stash\n')
  fixture.git('stash', '-u', '-q', '--', 'stashed.txt')
  fixture.write('b.txt', 'staged\n')
  fixture.git('add', 'b.txt')
  return fixture
}

/** The index, branches, stash and settings: everything but objects. */
function gitFiles(gitDir: string): string[] {
  return readdirSync(gitDir, { recursive: true, encoding: 'utf8' })
    .filter((file) => !/^(objects|hooks|info)/.test(file) && statSync(path.join(gitDir, file)).isFile())
    .map((file) => `${file} ${hash('sha256', readFileSync(path.join(gitDir, file)))}`)
    .sort()
}

test('restores a folder exactly, or refuses and changes nothing; the index, stash and branches of the user never change', async () => {
  const seen = { restored: 0, refused: 0 }
  const [template, plain] = [createTemplate(true), createTemplate(false)]
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyEdit, { maxLength: 4 }),
      fc.array(anyAct, { minLength: 1, maxLength: 6 }),
      fc.array(anyEdit, { maxLength: 1 }),
      fc.boolean(),
      async (first, turn, later, git) => {
        const fixture = createSharedFixture({ git: false })
        cpSync(git ? template.project : plain.project, fixture.project, { recursive: true })
        for (const one of first) edit(fixture.project, one)
        const own = () => (git ? gitFiles(fixture.at('.git')) : [])
        const user = own()
        const start = fixture.all()
        fixture.checkpoints.beginTurn('lead-1', 'change things')
        const touched = new Set<string>()
        const isForeign = turn.some(({ by }) => by === 'person') || later.length > 0
        for (const [index, { by, edit: one }] of turn.entries()) {
          const work = () => edit(fixture.project, one)
          const files = [one.name, ...(one.kind === 'move' ? [one.to] : [])]
          if (by === 'person') work()
          else {
            for (const file of files) touched.add(file)
            await fixture.call(`c${index}`, by === 'tool' ? files : 'command', work)
          }
        }
        for (const one of later) edit(fixture.project, one)
        const end = fixture.all()
        const result = await fixture.take('undo')
        expect(own()).toEqual(user)
        if (result.kind !== 'applied') {
          seen.refused++
          // Without other actors, there is no reason to refuse.
          if (!isForeign) expect(end).toEqual(start)
          expect(fixture.all()).toEqual(end)
          return
        }
        seen.restored++
        if (!isForeign) expect(fixture.all()).toEqual(start)
        // Whatever others did, a file that only the turn touched is restored.
        const others = [
          ...turn.flatMap(({ by, edit: one }) => (by === 'person' ? [one] : [])),
          ...later,
        ].flatMap((one) => [one.name, ...(one.kind === 'move' ? [one.to] : [])])
        const related = (a: string, b: string) => a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`)
        const links = Object.values(end).some((state) => state.startsWith('link'))
        const now = fixture.all()
        for (const file of touched)
          if (!links && !others.some((other) => related(other, file)))
            expect([file, now[file]]).toEqual([file, start[file]])
        expect((await fixture.take('redo')).kind).toBe('applied')
        expect(fixture.all()).toEqual(end)
        expect(own()).toEqual(user)
      },
    ),
    { numRuns: process.env['CADRE_DEEP'] === '1' ? 300 : 6 },
  )
  expect(seen.restored).toBeGreaterThan(2)
})
