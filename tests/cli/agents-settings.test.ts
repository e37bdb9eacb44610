import { expect, test } from 'vitest'
import { createProject } from './support/project.ts'

const file = '.vscode/settings.json'
const add = (name: string) => ['agents', 'add', name, '--description', `The ${name}`, '--prompt', 'Do it.']
const names = (text: string) => [...text.matchAll(/"name": "([^"]+)"/g)].map(([, name]) => name)

test('adds, duplicates, removes and resets agents, and keeps everything else', async () => {
  const own = '{\n  // mine\n  "editor.tabSize":  2, // two\n}\n'
  const project = createProject({ [file]: own })
  expect((await project.cadre(add('lead'))).stdout).toBe(`Added lead to ${file}.\n`)
  expect((await project.cadre([...add('helper'), '--tools', 'read, edit'])).code).toBe(0)
  expect((await project.cadre(['agents', 'duplicate', 'helper'])).stdout).toContain('helper-copy')
  expect(names(project.read(file))).toEqual(['lead', 'helper', 'helper-copy'])
  const listed = JSON.parse((await project.cadre(['agents', 'list', '--json'])).stdout)
  expect(listed.filter(({ source }: { source: string }) => source.endsWith(file))).toMatchObject([
    { name: 'helper', status: 'ok' },
    { name: 'helper-copy', status: 'ok' },
    { name: 'lead', status: 'ok', entry: true },
  ])

  const removed = await project.cadre(['agents', 'remove', 'helper', '--yes', '--json'])
  expect(JSON.parse(removed.stdout)).toEqual({
    path: project.at(file),
    status: 'replaced',
    added: [],
    removed: ['helper'],
    dryRun: false,
  })
  expect((await project.cadre(['agents', 'reset', '--yes'])).stdout).toBe(
    `Removed lead, helper-copy from ${file}.\n`,
  )
  expect(project.read(file)).toBe(own)
})

test('writes nothing with --dry-run, without a confirmation, or if the change is invalid', async () => {
  const project = createProject({})
  expect((await project.cadre([...add('lead'), '--dry-run'])).stdout).toBe(`Would add lead to ${file}.\n`)
  await project.cadre(add('lead'))
  await project.cadre(add('helper'))
  const before = project.read(file)

  const unasked = await project.cadre(['agents', 'remove', 'helper'])
  expect(unasked).toMatchObject({ code: 2 })
  expect(unasked.stderr).toContain('Add --yes')
  expect((await project.cadre(['agents', 'reset', '--dry-run'])).stdout).toContain(
    'Would remove lead, helper',
  )
  const entry = await project.cadre(['agents', 'remove', 'lead', '--yes'])
  expect(entry.stderr).toContain('lead is the entry agent. Choose another one with --entry: helper.')
  const bad = await project.cadre(add('two words'))
  expect(bad.code).not.toBe(0)
  expect(bad.stderr).toContain('Nothing was written.')
  expect(project.read(file)).toBe(before)
})

test('changes the settings file that --settings names', async () => {
  const project = createProject({ 'team.code-workspace': { folders: [], settings: {} } })
  const at = ['--settings', 'team.code-workspace']
  expect((await project.cadre([...add('lead'), ...at])).code).toBe(0)
  expect(JSON.parse(project.read('team.code-workspace'))).toMatchObject({
    settings: { 'copilotMultiAgent.entryAgent': 'lead' },
  })
})
