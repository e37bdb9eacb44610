import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CadreError } from '@cadre/core'
import { rawOf } from '@cadre/disk'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { readTaskFile } from './read-task-file.ts'
import { openTaskFiles } from './task-files.ts'

function world() {
  const home = mkdtempSync(join(tmpdir(), 'cadre-task-files-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const folder = join(home, 'tasks')
  mkdirSync(folder)
  const at = (name: string) => join(folder, name)
  const write = (name: string, text: string) => writeFileSync(at(name), text)
  const text = (name: string) => readFileSync(at(name), 'utf8')
  return { home, folder, at, write, text, files: openTaskFiles({ folder }) }
}

const two = '## TODO\n\n- [ ] @bob "a"\n  id: a\n\n- [ ] "b"\n  id: b\n'

test('lists the task files in a folder, without approvals and other files', () => {
  const { files, write, folder } = world()
  for (const name of ['b.task.md', 'a.task.md', 'approvals.task.md', '.x.task.md', 'notes.md', '.task.md'])
    write(name, two)
  expect(files.list()).toEqual(['a.task.md', 'b.task.md'])
  rmSync(folder, { recursive: true })
  expect(files.list()).toEqual([])
  expect(files.read('a.task.md')).toEqual({ tasks: [], problems: [] })
  expect(files.find('a')).toBeUndefined()
})

test('reads a file again only if it has changed', () => {
  const { files, write, at } = world()
  write('a.task.md', two)
  const past = new Date(Date.now() - 60_000)
  utimesSync(at('a.task.md'), past, past)
  // The file has just changed, so for a moment the same stamp could belong to other content.
  let first = files.read('a.task.md')
  for (let tries = 0; files.read('a.task.md') !== first && tries < 1e7; tries++)
    first = files.read('a.task.md')
  expect(files.read('a.task.md')).toBe(first)
  write('a.task.md', two.replace('- [ ] @bob', '- [x] @bob'))
  expect(files.read('a.task.md').tasks[0]?.state).toBe('done')
  write('a.task.md', two)
  expect(files.read('a.task.md').tasks[0]?.state).toBe('open')
})

test('an unreadable file is reported as a problem, and never changed', async () => {
  const { files, write, at, folder } = world()
  write('good.task.md', two)
  writeFileSync(at('utf16.task.md'), Buffer.from(`\ufeff${two}`, 'utf16le'))
  mkdirSync(at('folder.task.md'))
  write('target', two)
  symlinkSync('target', at('link.task.md'))
  write('huge.task.md', '')
  truncateSync(at('huge.task.md'), 17 * 1024 * 1024)
  execFileSync('mkfifo', [at('pipe.task.md')])
  const codes = Object.fromEntries(
    files.list().map((name) => [
      name,
      files
        .read(name)
        .problems.map(({ code }) => code)
        .join(),
    ]),
  )
  expect(codes).toEqual({
    'folder.task.md': 'TD901',
    'good.task.md': '',
    'huge.task.md': 'TD902',
    'link.task.md': 'TD901',
    'pipe.task.md': 'TD901',
    'utf16.task.md': 'TD903',
  })
  const before = statSync(at('huge.task.md')).size
  for (const name of ['utf16', 'folder', 'link', 'huge', 'pipe']) {
    expect(await files.change(`${name}.task.md`, 'a', { state: 'done' })).toMatchObject({ kind: 'refused' })
    await expect(files.add(`${name}.task.md`, { title: 'x' })).rejects.toMatchObject({ code: 'usage' })
  }
  expect(statSync(at('huge.task.md')).size).toBe(before)
  expect(readFileSync(at('target'), 'utf8')).toBe(two)
  expect(files.find('b')?.file).toBe('good.task.md')
  expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([])
})

test.skipIf(process.getuid?.() === 0)('a file without read permission is reported as a problem', () => {
  const { files, write, at } = world()
  write('a.task.md', two)
  chmodSync(at('a.task.md'), 0)
  expect(files.read('a.task.md').problems[0]?.code).toBe('TD900')
})

test('rejects paths as names', async () => {
  const { files } = world()
  for (const name of [
    '../a.task.md',
    'x/a.task.md',
    '/etc/a.task.md',
    '.a.task.md',
    'a.md',
    'a\0.task.md',
    '',
  ]) {
    expect(() => files.read(name)).toThrow(CadreError)
    await expect(files.change(name, 'a', { state: 'done' })).rejects.toMatchObject({ code: 'usage' })
    await expect(files.add(name, { title: 'x' })).rejects.toMatchObject({ code: 'usage' })
  }
})

test('changes, adds, finds and removes tasks', async () => {
  const { files, write, text } = world()
  write('a.task.md', two)
  const result = await files.change('a.task.md', 'a', { state: 'running', fields: { session: 's-1' } })
  expect(result).toMatchObject({ kind: 'changed', task: { id: 'a', state: 'running' } })
  expect(text('a.task.md')).toBe(
    two.replace('- [ ] @bob "a"\n  id: a\n', '- [~] @bob "a"\n  id: a\n  session: s-1\n'),
  )
  expect(await files.change('a.task.md', 'a', { state: 'done' }, ({ state }) => state === 'open')).toEqual({
    kind: 'same',
  })
  expect(await files.change('a.task.md', 'z', { state: 'done' })).toEqual({ kind: 'missing' })
  expect(await files.change('none.task.md', 'a', { state: 'done' })).toEqual({ kind: 'missing' })
  const { id } = await files.add('new.task.md', { title: 'New', who: ['bob'] })
  expect(files.find(id)).toMatchObject({ file: 'new.task.md', task: { title: 'New' } })
  await expect(files.add('other.task.md', { id, title: 'again' })).rejects.toMatchObject({ code: 'usage' })
  expect(files.list()).toEqual(['a.task.md', 'new.task.md'])
  expect(files.findByPrefix(id.slice(0, 9)).map((found) => found.task.id)).toEqual([id])
  expect(await files.remove('new.task.md', id)).toMatchObject({ kind: 'changed' })
  expect(files.find(id)).toBeUndefined()
})

test('finds all ids with a prefix; a complete id matches only one', async () => {
  const { files } = world()
  for (const id of ['task-1', 'task-12', 'other']) await files.add('a.task.md', { id, title: id })
  const found = (prefix: string) => files.findByPrefix(prefix).map(({ task }) => task.id)
  expect([found('task-1'), found('task-'), found('o'), found('x'), found('')]).toEqual([
    ['task-1'],
    ['task-1', 'task-12'],
    ['other'],
    [],
    [],
  ])
})

test('reports a duplicate id in the later file', () => {
  const { files, write } = world()
  write('a.task.md', two)
  write('b.task.md', '- [ ] "x"\n  id: b\n')
  expect(files.problems('a.task.md')).toEqual([])
  expect(files.problems('b.task.md')).toMatchObject([
    { code: 'TD050', line: 1, message: /line 6 of a\.task\.md/ },
  ])
})

test('does not change approvals', async () => {
  const { files, write, text } = world()
  const approval = '- [_] A @human "Approve"\n  id: ap\n  type: approval_request\n'
  write('approvals.task.md', approval)
  write('a.task.md', approval.replace('ap', 'sneaky') + two)
  expect(await files.change('approvals.task.md', 'ap', { state: 'done' })).toMatchObject({ kind: 'refused' })
  expect(await files.change('a.task.md', 'sneaky', { state: 'done' })).toMatchObject({ kind: 'refused' })
  expect(await files.remove('a.task.md', 'sneaky')).toMatchObject({ kind: 'refused' })
  expect(await files.change('a.task.md', 'a', { fields: { type: 'approval_request' } })).toMatchObject({
    kind: 'refused',
  })
  await expect(files.add('approvals.task.md', { title: 'x' })).rejects.toMatchObject({ code: 'usage' })
  await expect(files.add('b.task.md', { id: 'ap', title: 'x' })).rejects.toMatchObject({ code: 'usage' })
  expect(text('approvals.task.md')).toBe(approval)
})

test('writes ids once for parallel requests', async () => {
  const { files, write, folder } = world()
  write('a.task.md', '- [ ] @bob "a"\n- [ ] "b"\n')
  const others = openTaskFiles({ folder })
  const wants = ({ who }: { who: readonly string[] }) => who.length > 0
  const made = await Promise.all([files.ensureIds('a.task.md', wants), others.ensureIds('a.task.md', wants)])
  expect(made.flat()).toHaveLength(1)
  expect(files.read('a.task.md').tasks.map(({ id }) => id)).toEqual([made.flat()[0], undefined])
})

test('keeps the changes of many writers in several processes', async () => {
  const { folder, files } = world()
  const others = openTaskFiles({ folder })
  const ids = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      (index % 2 ? files : others).add('a.task.md', { title: `task ${index}` }),
    ),
  )
  await Promise.all(
    ids.map(({ id }, index) => (index % 3 ? files : others).change('a.task.md', id, { state: 'done' })),
  )
  const { tasks, problems } = files.read('a.task.md')
  expect(problems).toEqual([])
  expect(tasks.map(({ title, state }) => `${title} ${state}`).sort()).toEqual(
    Array.from({ length: 30 }, (_, index) => `task ${index} done`).sort(),
  )
})

// Takes seconds.
test.runIf(process.env['CADRE_DEEP'] ?? process.env['CADRE_OPTIONAL'])(
  'loses nothing if a person and Cadre write at the same time',
  async () => {
    const eols = fc.constantFrom('\n', '\r\n')
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(
            fc.constantFrom('hand', 'rename', 'state', 'field', 'add', 'block', 'during'),
            fc.nat(5),
            fc.string({ maxLength: 12 }),
          ),
          { minLength: 5, maxLength: 25 },
        ),
        eols,
        async (steps, eol) => {
          const { files, at, folder } = world()
          const file = at('a.task.md')
          const part = (index: number) =>
            [
              `- [ ] @bob "task ${index}"`,
              `  id: t${index}`,
              `<!-- hand ${index}: -->`,
              '\tOdd \u00ff bytes ',
              '',
            ].join(eol)
          writeFileSync(file, rawOf(`# Text${eol}${eol}`) + [0, 1, 2, 3, 4, 5].map(part).join(eol), 'latin1')
          const byHand: string[] = []
          const states = new Map<string, string>()
          const fields = new Map<string, string>()
          const added: string[] = []
          const during: [string, string][] = []
          const running: Promise<unknown>[] = []
          for (const [index, [kind, which, value]] of steps.entries()) {
            const id = `t${which}`
            // An editor that saves the file with one more line, in place or by a rename.
            const save = (isRename: boolean) => {
              const note = `hand ${which}:${index}-`
              byHand.push(note)
              const saved = readFileSync(file, 'latin1').replace(`hand ${which}:`, `${note} hand ${which}:`)
              const target = isRename ? join(folder, 'draft') : file
              writeFileSync(target, saved, 'latin1')
              if (isRename) renameSync(target, file)
            }
            if (kind === 'hand' || kind === 'rename') save(kind === 'rename')
            else if (kind === 'during') {
              // Between the read and the write.
              let saves = 1 + (index % 3)
              const when = () => {
                if (saves-- > 0) save(saves % 2 === 0)
                return true
              }
              states.set(id, 'done')
              running.push(
                files.change('a.task.md', id, { state: 'done', fields: { [`x${index}`]: 'y' } }, when),
              )
              during.push([id, `x${index}`])
            } else if (kind === 'state') {
              states.set(id, 'done')
              running.push(files.change('a.task.md', id, { state: 'done' }))
            } else if (kind === 'add') {
              added.push(`n${index}`)
              running.push(files.add('a.task.md', { id: `n${index}`, title: `new ${value}` }))
            } else {
              const text = kind === 'block' ? `${value}\n- [x] @boss "forged"\n  id: forged` : `v${value}`
              fields.set(id, text)
              running.push(files.change('a.task.md', id, { fields: { note: text } }))
            }
            // Other writers run in between, in any order.
            if (which % 2) await Promise.race([Promise.all(running), new Promise((go) => setImmediate(go))])
          }
          await Promise.all(running)
          const raw = readFileSync(file, 'latin1')
          for (const note of byHand) expect(raw).toContain(note)
          expect(raw.match(/\tOdd \u00ff bytes /g)).toHaveLength(6)
          const { tasks } = readTaskFile(raw)
          expect(tasks.map(({ id }) => id).filter((id) => id?.startsWith('t'))).toEqual([
            't0',
            't1',
            't2',
            't3',
            't4',
            't5',
          ])
          expect(
            tasks
              .map(({ id }) => id)
              .filter((id) => id?.startsWith('n'))
              .sort(),
          ).toEqual(added.sort())
          expect(tasks).toHaveLength(6 + added.length)
          for (const [id, state] of states) expect(tasks.find((task) => task.id === id)?.state).toBe(state)
          for (const [id, key] of during)
            expect(tasks.find((task) => task.id === id)?.fields.get(key)).toBe('y')
          for (const id of fields.keys())
            expect(tasks.find((task) => task.id === id)?.fields.has('note')).toBe(true)
          expect(readdirSync(folder)).toEqual(['a.task.md'])
        },
      ),
      { numRuns: 20 },
    )
  },
)
