import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Effect, JudgedCall, SessionSpec, Tool, Verdict } from '@cadre/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPathResolver } from '../paths/path-resolver.ts'
import { createServerRule } from './create-server-rule.ts'

let root: string
let workspace: string
let userHome: string
beforeAll(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-server-rule-')))
  workspace = path.join(root, 'work')
  userHome = path.join(root, 'user')
  for (const folder of ['work/src', 'work/SUB', 'user/.ssh'])
    mkdirSync(path.join(root, folder), { recursive: true })
  writeFileSync(path.join(workspace, 'src/main.ts'), '')
  writeFileSync(path.join(userHome, '.ssh/config'), '')
  symlinkSync('/etc', path.join(workspace, 'link'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

function judge(
  input: unknown,
  { effect = 'write', remote = false }: { effect?: Effect; remote?: boolean } = {},
) {
  const places = createPathResolver({ home: path.join(workspace, '.cadre'), userHome, project: workspace })
  const rule = createServerRule({ places, userHome })
  const server = { name: 'files', tool: 'write', ...(remote && { remote }) }
  const tool = { name: 'mcp__files__write', effect, server } as Tool
  const signal = new AbortController().signal
  return rule.judge({ tool, input } as JudgedCall, { workspace } as SessionSpec, signal) as
    | Verdict
    | undefined
}

describe('the arguments of a tool that may write', () => {
  it.each([
    ['.git/hooks/pre-commit', 'paths.protected'],
    ['.cadre/storage/policy.yaml', 'paths.protected'],
    ['.github/agents/a.agent.md', 'paths.protected'],
    ['.github/mcp.json', 'paths.protected'],
    ['src/../.mcp.json', 'paths.protected'],
    ['SUB/../.VSCODE/tasks.json', 'paths.protected'],
    ['opencode.json', 'paths.protected'],
    ['.config/cadre/policy.yaml', 'paths.protected'],
    ['../outside.txt', 'paths.outside'],
    ['/etc/passwd', 'paths.outside'],
    ['/etc/new-file', 'paths.outside'],
    ['/etc/new-folder/new/file', 'paths.outside'],
    ['~/.bashrc', 'paths.outside'],
    ['~', 'paths.outside'],
    ['$HOME/.profile', 'paths.outside'],
    ['file:///etc/passwd', 'paths.outside'],
    ['link/passwd', 'paths.outside'],
    // Relative to the folder that the server starts in.
    ['.ssh/config', 'paths.outside'],
  ])('%s needs a person', (text, rule) => {
    const expected = { kind: 'ask', firm: true, rule, risk: 'HIGH' }
    expect(judge({ path: text })).toMatchObject(expected)
    expect(judge({ nested: [{ edits: [{ at: text }] }] })).toMatchObject(expected)
    expect(judge({ [text]: 1 })).toMatchObject(expected)
    expect(judge([text])).toMatchObject(expected)
  })

  it.each([
    'src/main.ts',
    'owner/repo',
    '/api/v1/users',
    'https://example.com/.git/config',
    'a text about .git and ~',
    '3',
    '',
    '.',
    'new/file.ts',
  ])('%j needs nobody', (text) => {
    expect(judge({ text })).toBeUndefined()
  })

  it.each([
    ['with more ./ than a path can have', `${'./'.repeat(2_100)}.git/config`],
    ['with spaces around it', ' .git/config\n'],
  ])('a protected path %s needs a person', (_, text) => {
    expect(judge({ path: text })).toMatchObject({ kind: 'ask', firm: true, rule: 'paths.protected' })
  })

  it('need a person wherever a path is hidden among them', () => {
    const expected = { kind: 'ask', firm: true, risk: 'HIGH' }
    let deep: unknown = '.git/config'
    for (let i = 0; i < 10_000; i++) deep = [deep]
    expect(judge(deep)).toMatchObject({ ...expected, rule: 'paths.protected' })
    const many = Array.from({ length: 5_000 }, (_, i) => `x${i}`)
    expect(judge({ many, path: '.git/config' })).toMatchObject(expected)
    expect(judge({ many: Array.from({ length: 50_000 }, () => 1), path: '.git/config' })).toMatchObject(
      expected,
    )
    expect(judge({ path: `${'./'.repeat(5_000)}.git/config` })).toMatchObject(expected)
  })

  it('of any length end the search', () => {
    expect(judge({ text: `${'x'.repeat(1e6)}/.git/config` })).toBeUndefined()
    expect(judge(undefined)).toBeUndefined()
  })
})

it('a tool that only reads may read protected files, but not leave the workspace', () => {
  expect(judge({ path: '.git/config' }, { effect: 'read' })).toBeUndefined()
  expect(judge({ path: '/etc/passwd' }, { effect: 'read' })).toMatchObject({
    kind: 'ask',
    rule: 'paths.outside',
  })
})

it('a server on another machine cannot touch files here', () => {
  expect(judge({ path: '/etc/passwd' }, { remote: true })).toBeUndefined()
})
