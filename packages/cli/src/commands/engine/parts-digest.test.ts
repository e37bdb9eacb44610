import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { loadParts } from '@cadre/runtime'
import { expect, onTestFinished, test } from 'vitest'
import type { Io } from '../../io.ts'
import { digestParts, type PartsDigest, partsDigest } from './parts-digest.ts'

type Files = Readonly<Record<string, string | object>>
type Flags = NonNullable<Parameters<typeof partsDigest>[3]>

const secret = 'sk-live-4b1f9c77e2d04a1d'

const files = {
  'project/.cadre/config.yaml': { tools: ['greet.mjs'], limits: { depth: 2 } },
  'project/.cadre/greet.mjs': `import { word } from './word.mjs'
    export const greet = { name: 'greet', description: 'x', class: 'read', effect: 'read',
      input: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } }, parameters: { type: 'object' },
      run: async () => ({ content: word }) }`,
  'project/.cadre/word.mjs': `export const word = 'hello'`,
  'project/.cadre/templates/planner.agent.yaml':
    'id: planner\ntype: planner\ndescription: Plans\nsystem_prompt: You plan.\n',
  'project/.claude/settings.json': {
    hooks: {
      PreToolUse: [
        {
          matcher: '*',
          hooks: [{ type: 'command', command: '"$CLAUDE_PROJECT_DIR"/hooks/check.sh' }],
        },
      ],
    },
  },
  'project/hooks/check.sh': '#!/bin/sh\nexit 0\n',
  'user/.claude/settings.json': {
    hooks: { Stop: [{ hooks: [{ type: 'command', command: '~/bin/stop.sh' }] }] },
  },
  'user/bin/stop.sh': '#!/bin/sh\nexit 0\n',
  'project/.mcp.json': {
    mcpServers: { issues: { command: 'node', args: ['issues.mjs'], env: { ISSUES_TOKEN: secret } } },
  },
} satisfies Files

/** The digest of a worker on a machine of its own, whose folders have other names. */
async function digestOn(
  changed: Files = {},
  flags: Flags = {},
  home = 'project/.cadre',
): Promise<Required<PartsDigest>> {
  const machine = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-digest-')))
  onTestFinished(() => rmSync(machine, { recursive: true, force: true }))
  for (const [file, content] of Object.entries({ ...files, ...changed })) {
    const at = path.join(machine, file.replace('project/.cadre', home))
    mkdirSync(path.dirname(at), { recursive: true })
    writeFileSync(at, typeof content === 'string' ? content : JSON.stringify(content))
    if (at.endsWith('.sh')) chmodSync(at, 0o755)
  }
  const project = path.join(machine, 'project')
  const env = { HOME: path.join(machine, 'user'), PATH: process.env['PATH'], CADRE_TRUST: '1' }
  const io = { env, cwd: project } as unknown as Io
  const parts = await loadParts(io, { ...flags, home: path.join(machine, home), trust: true })
  onTestFinished(() => parts.servers.close())
  return partsDigest(io, parts, project, flags)
}

/** The words for what differs from a worker with the original files. */
async function differences(changed: Files, flags?: Flags): Promise<string[]> {
  const [one, other] = [await digestOn(), await digestOn(changed, flags)]
  return digestParts.flatMap(([part, words]) => (one[part] === other[part] ? [] : [words]))
}

const hookScript = '#!/bin/sh\nexit 2\n'
const settings = files['project/.cadre/config.yaml']
const servers = (server: object) => ({ 'project/.mcp.json': { mcpServers: { issues: server } } })
const policy = 'effects:\n  outbound: deny\n'

test.each<[what: string, files: Files, differs: string[]]>([
  ['nothing', {}, []],
  ['a script of a hook in the project', { 'project/hooks/check.sh': hookScript }, ['scripts that hooks run']],
  [
    'a script of a hook in the home directory',
    { 'user/bin/stop.sh': hookScript },
    ['scripts that hooks run'],
  ],
  [
    'a custom tool',
    { 'project/.cadre/greet.mjs': `${files['project/.cadre/greet.mjs']}\n` },
    ['code of custom tools'],
  ],
  [
    'a file that a custom tool imports',
    { 'project/.cadre/word.mjs': `export const word = 'bye'` },
    ['code of custom tools'],
  ],
  [
    'an MCP server',
    servers({ command: 'node', args: ['other.mjs'], env: { ISSUES_TOKEN: secret } }),
    ['MCP servers'],
  ],
  [
    'only the secret of an MCP server',
    servers({ command: 'node', args: ['issues.mjs'], env: { ISSUES_TOKEN: 'sk-live-other' } }),
    [],
  ],
  [
    'a limit',
    { 'project/.cadre/config.yaml': { ...settings, limits: { depth: 1 } } },
    ['limits in config.yaml'],
  ],
  [
    'a budget',
    { 'project/.cadre/config.yaml': { ...settings, budget: { cost: 3 } } },
    ['limits in config.yaml'],
  ],
  [
    'the default model',
    { 'project/.cadre/config.yaml': { ...settings, model: 'openai:one' } },
    ['default model (--model)'],
  ],
  ['a policy', { 'project/.cadre/storage/policy.yaml': policy }, ['policy']],
])(
  'if workers differ in %s, exactly the right parts of their digests differ',
  async (_what, changed, differs) => {
    expect(await differences(changed)).toEqual(differs)
  },
)

test.each<[flags: Flags, differs: string]>([
  [{ model: 'openai:one' }, 'default model (--model)'],
  [{ allow: ['execute'] }, 'allowed tools (--allow)'],
])('a worker that was started with %j is found by its digest', async (flags, differs) => {
  expect(await differences({}, flags)).toEqual([differs])
})

test('a worker with another team is found, with the agents of the team', async () => {
  const differs = await differences({}, { team: 'explorers' })
  expect(differs).toContain('team (--team)')
})

test('a worker whose home is in another folder has the same digest', async () => {
  expect(await digestOn({}, {}, 'user/data')).toEqual(await digestOn())
})

test('a digest shows no secret', async () => {
  const digest = await digestOn()
  expect(JSON.stringify(digest)).not.toContain(secret)
  for (const one of Object.values(digest)) expect(one).toMatch(/^[0-9a-f]{16}$/)
})
