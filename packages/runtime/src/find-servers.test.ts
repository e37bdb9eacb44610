import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Environment } from './environment.ts'
import { findServers } from './find-servers.ts'

let root: string
let project: string
beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), 'cadre-find-servers-'))
  project = path.join(root, 'project')
  mkdirSync(path.join(project, 'tool'), { recursive: true })
  mkdirSync(path.join(root, 'user'))
  writeFileSync(path.join(project, 'tool/hook.mjs'), '')
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const tool = `\${workspaceFolder}/tool`

it.each([
  [['npm', '--prefix', tool, 'run', 'mcp'], true],
  [['npm', `--prefix=${tool}`, 'run', 'mcp'], true],
  [['uv', '--directory', tool, 'run', 'server'], true],
  [['make', '-C', tool, 'serve'], true],
  [['node', tool], true],
  [['python3', '-u', tool], true],
  [['node', `--import=${tool}/hook.mjs`, '/opt/server.js'], true],
  [['node', '/opt/server.js', tool], false],
  [['npx', '-y', '@modelcontextprotocol/server-filesystem', tool], false],
  [['uvx', 'serena', '--project', tool], false],
])('a server of the user belongs to the folder if it runs code in it: %j', (words, expected) => {
  const [command, ...args] = words
  const io = { env: { HOME: path.join(root, 'user') } } as unknown as Environment
  const configured = [
    { file: '/c.yaml', of: 'user' as const, servers: { x: { command: command as string, args } } },
  ]
  const { folderServers } = findServers(io, { project, workspace: project, agents: [], configured })
  expect(folderServers.size).toBe(expected ? 1 : 0)
})
