import { chmodSync, statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createProject } from './support/project.ts'

const parse = (text: string) => JSON.parse(text) as Record<string, Record<string, Record<string, unknown>>>

test.each([
  ['vscode', [], '.vscode/mcp.json', 'servers'],
  ['vscode', ['--user'], '.config/Code/User/mcp.json', 'servers'],
  ['copilot', [], '.copilot/mcp-config.json', 'mcpServers'],
  ['copilot', ['--project'], '.github/mcp.json', 'mcpServers'],
  ['claude', [], '.mcp.json', 'mcpServers'],
  ['claude', ['--user'], '.claude.json', 'mcpServers'],
])('adds Cadre to %s %j, and removes it again', async (to, more, file, section) => {
  const project = createProject()
  const install = ['mcp', 'install', '--to', to, ...more]
  const added = await project.cadre(install)
  expect(added.stderr).toBe('')
  expect(added.stdout).toContain('+    "cadre": {')
  expect(added.stdout).toContain('Added Cadre to ')
  const entry = parse(project.read(file))[section]?.['cadre']
  expect(entry?.['args']).toContain('mcp')
  const before = project.read(file)
  expect((await project.cadre(install)).stdout).toContain('Nothing changed')
  expect(project.read(file)).toBe(before)
  expect((await project.cadre([...install, '--remove'])).stdout).toContain('Removed Cadre from ')
  expect(parse(project.read(file))[section]).toEqual({})
})

test('a program of the project is named, and Copilot may use all tools', async () => {
  const project = createProject({ 'bin/cadre': '#!/bin/sh\n' })
  chmodSync(project.at('bin/cadre'), 0o755)
  const outside = createProject()
  const env = { PATH: `${project.at('bin')}:/usr/bin:/bin` }
  const args = ['mcp', 'install', '--to', 'copilot', '--project', '--read-only', '--json']
  const { stdout } = await outside.cadre(args, { env })
  expect(JSON.parse(stdout)).toMatchObject({
    type: 'mcp.installed',
    changed: true,
    entry: { type: 'local', command: 'cadre', args: ['mcp', '--read-only'], tools: ['*'] },
  })
})

test('keeps other entries, comments, secrets and permissions, and does not print them', async () => {
  const project = createProject({
    '.vscode/mcp.json': '{\n\t// mine\n\t"servers": {\n\t\t"a": { "env": { "TOKEN": "s3cret" } }\n\t}\n}\n',
  })
  chmodSync(project.at('.vscode/mcp.json'), 0o600)
  const { stdout } = await project.cadre(['mcp', 'install', '--to', 'vscode'])
  expect(stdout).not.toContain('s3cret')
  const text = project.read('.vscode/mcp.json')
  expect(text).toContain('\t// mine\n\t"servers": {\n\t\t"a": { "env": { "TOKEN": "s3cret" } }')
  expect(text).toContain('\t\t"cadre": {\n\t\t\t"type": "stdio"')
  expect(text).toContain(`\${workspaceFolder}`)
  expect(statSync(project.at('.vscode/mcp.json')).mode & 0o777).toBe(0o600)
})

test('does not edit a broken file', async () => {
  const broken = '{\n  "mcpServers": {\n'
  const project = createProject({ '.mcp.json': broken })
  const { code, stderr } = await project.cadre(['mcp', 'install', '--to', 'claude'])
  expect(code).toBe(2)
  expect(stderr).toContain('.mcp.json:')
  expect(stderr).toContain('Cadre changed nothing')
  expect(project.read('.mcp.json')).toBe(broken)
})

test('writes nothing with --dry-run, and needs one place', async () => {
  const project = createProject()
  const before = project.listing()
  const { stdout } = await project.cadre(['mcp', 'install', '--to', 'claude', '--dry-run'])
  expect(stdout).toContain('Nothing was written')
  const both = await project.cadre(['mcp', 'install', '--to', 'claude', '--user', '--project'])
  expect(both.code).toBe(2)
  expect(project.listing()).toEqual(before)
})
