import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createAgents } from '@cadre/agents'
import type { SessionSpec, Tool } from '@cadre/core'
import { readInsideFolder } from '@cadre/disk'
import { createUntrustedRule, judgeFolder, readFolderContents, storeAnswer } from '@cadre/gate'
import { createTrust } from '@cadre/home'
import { findServers } from '@cadre/runtime'
import { createTools } from '@cadre/tools'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

let root: string
let project: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-trust-')))
  project = path.join(root, 'project')
  mkdirSync(project)
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const at = (file: string) => path.join(project, file)
const write = (file: string, content: string | object) => {
  mkdirSync(path.dirname(at(file)), { recursive: true })
  writeFileSync(at(file), typeof content === 'string' ? content : JSON.stringify(content))
}
const folderItems = () => {
  const home = at('.cadre')
  const userHome = path.join(root, 'user')
  const agents = createAgents({ home, project, userHome }).list()
  const io = { env: { HOME: userHome }, cwd: project, warn: () => {} }
  const { folderServers, diagnostics } = findServers(io, { project, workspace: project, agents })
  return readFolderContents({
    ...{ project, home, agents, userHome, servers: [...folderServers.values()] },
    unusableServers: diagnostics.flatMap(({ code, path: file, message: reason }) =>
      code === 'mcp-unreadable' ? [{ file, reason }] : [],
    ),
  })
}
const listed = async () =>
  (await folderItems()).items.map(({ path: file, what }) => `${path.relative(project, file)} ${what}`)

const hook = { hooks: { PreToolUse: [{ type: 'command', command: 'node scripts/guard.mjs' }] } }
const everything = {
  'scripts/guard.mjs': 'process.exit(0)',
  'scripts/check.mjs': 'process.exit(0)',
  'server.mjs': '// a server',
  '.github/hooks/guard.json': hook,
  '.claude/settings.json': { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] } },
  '.mcp.json': { mcpServers: { files: { command: 'node', args: ['server.mjs'] } } },
  '.vscode/mcp.json': { servers: { web: { command: 'npx', args: ['web'] } } },
  '.github/agents/a.agent.md':
    '---\nname: a\ndescription: d\nhooks:\n  PreToolUse:\n    - type: command\n      command: ./x.sh\nmcp-servers:\n  db:\n    command: db\n---\nDo.\n',
  '.cadre/tools.mjs': 'export const a = 1',
  '.cadre/config.yaml':
    'team: coordinator\ntools: [tools.mjs]\ncheck: { command: [node, scripts/check.mjs] }\nopenai: { baseUrl: "http://127.0.0.1:1" }\nweb: { allow: [x] }\n',
  '.cadre/storage/policy.yaml': 'effects: { write: allow, execute: deny }\nnetwork: allow\n',
  '.cadre/storage/terminal-cmd-allowlist.yaml': 'npm test: true\n',
}
const writeAll = () => {
  for (const [file, content] of Object.entries(everything)) write(file, content)
}

describe('the items of a folder that need trust', () => {
  it('are none if there are none, or if all of them only restrict', async () => {
    expect(await folderItems()).toEqual({ items: [], unusable: [] })
    write('.cadre/config.yaml', 'entry: a\nlimits: {depth: 1}\nteam: operators\n')
    write('.cadre/storage/policy.yaml', 'effects: {write: deny}\nsubagent.enabled: false\n')
    write('.claude/settings.json', { permissions: { deny: ['Bash'] } })
    write('.mcp.json', { mcpServers: {} })
    write('.github/agents/a.agent.md', '---\nname: a\ndescription: d\n---\nDo.\n')
    write('.cadre/storage/terminal-cmd-allowlist.yaml', 'rm: deny\ngit push: ask\n')
    expect(await folderItems()).toEqual({ items: [], unusable: [] })
  })

  it('are all files that can run code or permit more, with their effect', async () => {
    writeAll()
    expect((await listed()).sort()).toEqual([
      '.cadre/config.yaml#check runs a program when an agent asks for errors (check: {"command":["node","scripts/check.mjs"]})',
      '.cadre/config.yaml#openai decides where Cadre sends conversations and the key, and may run a command (openai: {"baseUrl":"http://127.0.0.1:1"})',
      '.cadre/config.yaml#team uses the team coordinator, whose agents write without approval (team: coordinator)',
      '.cadre/config.yaml#tools runs code from the repository as tools (tools: ["tools.mjs"])',
      '.cadre/config.yaml#web lets agents access private networks (web: {"allow":["x"]})',
      '.cadre/storage/policy.yaml permits more than the default (effects.write: "allow", network: "allow")',
      '.cadre/storage/terminal-cmd-allowlist.yaml allows commands without approval',
      '.cadre/tools.mjs runs as a tool module',
      '.claude/settings.json runs a hook while agents work',
      '.github/agents/a.agent.md#hooks runs a hook while agents work (in agent a)',
      '.github/agents/a.agent.md#mcp:a/db starts the MCP server db of the agent a: db',
      '.github/hooks/guard.json runs a hook while agents work',
      '.mcp.json#mcp:files starts the MCP server files: node server.mjs',
      '.vscode/mcp.json#mcp:web starts the MCP server web: npx web',
      `scripts/check.mjs is run by check (${at('.cadre/config.yaml')}:3)`,
      'server.mjs is run by the MCP server files',
    ])
  })

  it('show the whole command line of a server, with its variables and its folder', async () => {
    write(
      '.vscode/mcp.json',
      `// servers\n{ "servers": { "a": { "command": "npx", "args": ["-y", "a b"], "env": { "T": "\${input:t}" }, "cwd": "sub" } } }`,
    )
    expect(await listed()).toEqual([
      `.vscode/mcp.json#mcp:a starts the MCP server a: npx -y "a b", with T=\${input:t}, in sub`,
    ])
  })

  it('have no servers from invalid JSON, because none of them starts', async () => {
    write('.vscode/mcp.json', '{ "servers": { "a": { "command": "x" } ')
    expect(await listed()).toEqual([])
  })

  it.each([
    ['npm run server', { command: 'npm', args: ['run', 'server'] }, 'package.json'],
    ['make server', { command: 'make', args: ['server'] }, 'Makefile'],
    ['a script', { command: './run.sh' }, 'run.sh'],
    ['an option with a file', { command: 'node', args: ['--require=./hook.cjs'] }, 'hook.cjs'],
    ['a wrapper', { command: 'sh', args: ['-c', 'x', 'npm'] }, 'package.json'],
  ])('include the files that %s runs', async (_, server, file) => {
    write('.mcp.json', { mcpServers: { a: server } })
    write(file, 'text')
    expect(await listed()).toContain(`${file} is run by the MCP server a`)
  })

  it('pipes, links outside the folder and huge files neither block nor are read', async () => {
    mkdirSync(at('.vscode'))
    mkdirSync(at('.github/hooks'), { recursive: true })
    mkdirSync(at('.cadre/storage'), { recursive: true })
    execFileSync('mkfifo', [
      at('.mcp.json'),
      at('.github/hooks/a.json'),
      at('.cadre/storage/terminal-cmd-allowlist.yaml'),
    ])
    writeFileSync(path.join(root, 'outside.json'), JSON.stringify({ servers: { a: {} }, ...hook }))
    symlinkSync(path.join(root, 'outside.json'), at('.vscode/mcp.json'))
    symlinkSync(path.join(root, 'outside.json'), at('.github/hooks/b.json'))
    const { items, unusable } = await folderItems()
    expect(items).toEqual([])
    expect(unusable.map(({ file }) => path.relative(project, file)).sort()).toEqual([
      '.cadre/storage/terminal-cmd-allowlist.yaml',
      '.github/hooks/a.json',
      '.github/hooks/b.json',
      '.mcp.json',
      '.vscode/mcp.json',
    ])
    write('big', 'x'.repeat(1_000_001))
    expect(readInsideFolder(project, at('big'))).toEqual({
      kind: 'unusable',
      reason: 'the file is larger than 1 MB',
    })
    symlinkSync('inside', at('link'))
    write('inside', 'text')
    expect(readInsideFolder(project, at('link'))).toMatchObject({ kind: 'read', text: 'text' })
    symlinkSync('loop', at('loop'))
    expect(readInsideFolder(project, at('loop'))).toMatchObject({ kind: 'unusable' })
    expect(readInsideFolder(project, at('missing'))).toEqual({ kind: 'none' })
  })
})

describe('trust', () => {
  const trust = (more = false) => createTrust({ file: path.join(root, 'conf/trust.yaml'), everything: more })
  const judged = async (more = false) => judgeFolder(project, await folderItems(), trust(more))

  it('an empty folder is trusted; any other as a whole or not at all', async () => {
    expect((await judged()).trusted).toBe(true)
    writeAll()
    const before = await judged()
    expect(before).toMatchObject({ trusted: false, declined: false })
    expect(before.missing).toEqual(before.contents.items)
    storeAnswer('yes', before, trust())
    const after = await judged()
    expect(after).toMatchObject({ trusted: true, missing: [] })
    for (const item of before.contents.items) expect(after.trusts(item)).toBe(true)
    expect(after.trusts({ path: at('other'), sha256: '' })).toBe(false)
    expect((await judged(true)).trusted).toBe(true)
  })

  it.each(Object.keys(everything))(
    'a change of %s asks again, and until then nothing is trusted',
    async (file) => {
      writeAll()
      storeAnswer('yes', await judged(), trust())
      const content = everything[file as keyof typeof everything]
      const other = typeof content === 'string' ? content : JSON.stringify(content)
      const changes: Record<string, string> = {
        '.github/agents/a.agent.md': other.replace('./x.sh', './y.sh'),
        '.cadre/config.yaml': other.replace('[x]', '[y]'),
        '.claude/settings.json': other.replace('true', 'false'),
        '.mcp.json': other.replace('server.mjs', 'server2.mjs'),
        '.vscode/mcp.json': other.replace('npx', 'npx2'),
      }
      write(file, changes[file] ?? `${other}\n`)
      const after = await judged()
      expect(after.trusted).toBe(false)
      expect(after.missing.length).toBeLessThan(after.contents.items.length)
      for (const item of after.contents.items) expect(after.trusts(item)).toBe(false)
    },
  )

  it('covers only the hooks and servers of an agent, not its text', async () => {
    writeAll()
    storeAnswer('yes', await judged(), trust())
    write('.github/agents/a.agent.md', everything['.github/agents/a.agent.md'].replace('Do.', 'Do it well.'))
    expect((await judged()).trusted).toBe(true)
  })

  it('a no applies to exactly these items, and is no yes to anything', async () => {
    writeAll()
    storeAnswer('no', await judged(), trust())
    expect(await judged()).toMatchObject({ trusted: false, declined: true })
    expect((await judged(true)).trusted).toBe(true)
    write('.mcp.json', { mcpServers: { other: { command: 'x' } } })
    expect(await judged()).toMatchObject({ trusted: false, declined: false })
  })

  it('another folder with the same content is another folder', async () => {
    writeAll()
    storeAnswer('yes', await judged(), trust())
    const first = project
    project = path.join(root, 'copy')
    mkdirSync(project)
    writeAll()
    expect((await judged()).trusted).toBe(false)
    project = first
    expect((await judged()).trusted).toBe(true)
  })

  it('covers the configuration of a server, however its file is written', async () => {
    write('.mcp.json', { mcpServers: { a: { command: 'x' } } })
    storeAnswer('yes', await judged(), trust())
    write('.mcp.json', '{ "mcpServers": { /* the same */ "a": { "command": "x" } } }')
    expect((await judged()).trusted).toBe(true)
    for (const changed of [
      { command: 'y' },
      { command: 'x', args: ['z'] },
      { command: 'x', env: { A: 'b' } },
    ]) {
      write('.mcp.json', { mcpServers: { a: changed } })
      expect((await judged()).trusted).toBe(false)
    }
  })
})

it('in an untrusted folder, agents are read-only', () => {
  const rule = createUntrustedRule('/p')
  const decisions = createTools().map((tool: Tool) => {
    const call = { id: 'c', type: 'function', function: { name: tool.name, arguments: '{}' } } as const
    const verdict = rule.judge({ call, tool, input: {} }, {} as SessionSpec, new AbortController().signal)
    return `${tool.name} ${(verdict as { kind: string } | undefined)?.kind ?? '-'}`
  })
  expect(decisions).toEqual(
    expect.arrayContaining([
      'read_file -',
      'search_files -',
      'write_file deny',
      'edit_file deny',
      'web_fetch deny',
      'get_errors deny',
    ]),
  )
})
