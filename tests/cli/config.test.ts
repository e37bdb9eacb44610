import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createProject } from './support/project.ts'

const userFile = '.config/cadre/config.yaml'

test('lists settings with their source: a line, a variable or a policy', async () => {
  const project = createProject({
    [userFile]: 'model: openai:a\n\nlimits:\n  depth: 5\n  sessions: 9\n',
    '.cadre/config.yaml': 'model: openai:b\nmodels:\n  gpt-4.1: { window: 10 }\n',
    '.config/cadre/policy.yaml': 'limits:\n  depth: 2\n  sessions: 20\n',
  })
  const { stdout, code } = await project.cadre(['config', 'list', '--json'], {
    env: { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1', OPENAI_API_KEY: 'sk-secret-0123456789' },
  })
  const user = project.at(userFile)
  const home = project.at('.cadre/config.yaml')
  expect(JSON.parse(stdout)).toEqual([
    {
      key: 'model',
      value: 'openai:b',
      source: 'project',
      from: `${home}:1`,
      overrides: [{ value: 'openai:a', source: 'user', from: `${user}:1` }],
    },
    {
      key: 'limits.depth',
      value: 2,
      source: 'policy',
      from: `${project.at('.config/cadre/policy.yaml')}:2`,
      overrides: [{ value: 5, source: 'user', from: `${user}:4` }],
    },
    { key: 'limits.sessions', value: 9, source: 'user', from: `${user}:5` },
    { key: 'models.gpt-4.1.window', value: 10, source: 'project', from: `${home}:3` },
    { key: 'openai.baseUrl', value: 'http://127.0.0.1:1/v1', source: 'environment', from: 'OPENAI_BASE_URL' },
  ])
  expect(stdout).not.toContain('sk-secret')
  expect(code).toBe(0)
})

test('prints a value or a section, or reports that it is not set', async () => {
  const project = createProject({ [userFile]: 'model: openai:a\nlimits: { depth: 5 }\n' })
  expect((await project.cadre(['config', 'get', 'model'])).stdout).toBe('openai:a\n')
  expect((await project.cadre(['config', 'get', 'limits'])).stdout).toBe('limits.depth: 5\n')
  const none = await project.cadre(['config', 'get', 'limits.sessions'])
  expect(none).toMatchObject({ code: 1, stdout: '', stderr: 'cadre: limits.sessions is not set.\n' })
  const wrong = await project.cadre(['config', 'get', 'modle'])
  expect(wrong).toMatchObject({ code: 2 })
  expect(wrong.stderr).toContain('there is no configuration key "modle". Did you mean')
})

test('sets a key and keeps the rest of the file', async () => {
  const before = '# mine\nmodel: openai:a # old\r\n\nlimits: { depth: 5 }\n'
  const project = createProject({ [userFile]: before })
  const set = await project.cadre(['config', 'set', 'model', 'openai:b'])
  expect(set).toMatchObject({ code: 0, stdout: `Set model in ${project.at(userFile)}.\n` })
  await project.cadre(['config', 'set', 'limits.sessions', '7'])
  await project.cadre(['config', 'set', 'aliases.my fast', 'openai:b'])
  expect(readFileSync(project.at(userFile), 'utf8')).toBe(
    '# mine\nmodel: "openai:b" # old\r\n\nlimits: { depth: 5, sessions: 7 }\r\naliases:\r\n  "my fast": "openai:b"\n',
  )
})

test('sets a key in the project file, and reports what takes precedence', async () => {
  const project = createProject({})
  expect((await project.cadre(['config', 'set', '--project', 'limits.depth', '2'])).code).toBe(0)
  expect(readFileSync(project.at('.cadre/config.yaml'), 'utf8')).toBe('limits:\n  depth: 2\n')
  const set = await project.cadre(['config', 'set', 'limits.depth', '4'])
  expect(set.stderr).toBe(
    `cadre: ${project.at('.cadre/config.yaml')}:2 takes precedence and sets limits.depth to 2.\n`,
  )
})

test.each([
  [['limits.depth', 'many'], 'limits.depth must be a whole number greater than 0, not "many"'],
  [['limits.dept', '2'], 'Did you mean'],
  [['openai.headers.authorization', 'Bearer x'], 'is a secret. Do not write secrets to a file.'],
  [['openai', 'x'], 'openai must be a mapping'],
])('rejects %j and writes nothing', async (words, reason) => {
  const project = createProject({})
  const { code, stderr } = await project.cadre(['config', 'set', ...words])
  expect(stderr).toContain(reason)
  expect(code).toBe(2)
  expect(() => readFileSync(project.at(userFile))).toThrow()
})

test('opens an editor and checks the file afterwards', async () => {
  const project = createProject({ 'editor.sh': '#!/bin/sh\necho "modle: a" >> "$2"\n' })
  const { code, stderr } = await project.cadre(['config', 'edit'], {
    env: { EDITOR: `sh ${project.at('editor.sh')} --wait` },
    ownProcess: true,
  })
  expect(stderr).toMatch(/config\.yaml:2: .*"modle".*Did you mean/)
  expect(code).toBe(2)
})

test('does not show passwords in addresses', async () => {
  const engine = {
    kind: 'restate',
    place: 'office',
    workspace: 'checkout',
    repository: 'https://ann:secret-word@example.com/a.git',
  }
  const project = createProject({ '.cadre/config.yaml': { engine } })
  for (const args of [
    ['list'],
    ['list', '--json'],
    ['get', 'engine'],
    ['get', 'engine.repository', '--json'],
  ]) {
    const { stdout, stderr } = await project.cadre(['config', ...args], { env: { CADRE_TRUST: '1' } })
    expect(stdout).toContain('https://***@example.com/a.git')
    expect(stdout + stderr).not.toContain('secret-word')
  }
})
