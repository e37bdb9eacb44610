import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { AgentDefinition } from '@cadre/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readServers, type ServerPaths } from './read-servers.ts'
import type { ServerConfig } from './server-config.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'cadre-servers-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(file: string, content: string | object): void {
  const at = path.join(root, file)
  mkdirSync(path.dirname(at), { recursive: true })
  writeFileSync(at, typeof content === 'string' ? content : JSON.stringify(content))
}

function read(more: Partial<ServerPaths> = {}) {
  return readServers({
    project: path.join(root, 'project'),
    userHome: path.join(root, 'user'),
    editor: path.join(root, 'editor'),
    ...more,
  })
}

describe('the servers of a folder and a user', () => {
  it('come from the files of every program, each with its scope and its variables', () => {
    write(
      'project/.vscode/mcp.json',
      '// comment\n{"servers": {"a": {"command": "a"},}, "inputs": [{"id": "k", "description": "Key"}]}',
    )
    write('project/.mcp.json', { mcpServers: { b: { command: 'b' } } })
    write('project/.github/mcp.json', { mcpServers: { c: { type: 'local', command: 'c', tools: ['x'] } } })
    write('user/.copilot/mcp-config.json', { mcpServers: { d: { type: 'http', url: 'https://d.example' } } })
    write('editor/mcp.json', { servers: { e: { type: 'stdio', command: 'e' } } })
    const { servers, diagnostics } = read()
    expect(diagnostics).toEqual([])
    expect(servers.map(({ name, scope, syntax }) => [name, scope, syntax])).toEqual([
      ['d', 'user', 'copilot'],
      ['e', 'user', 'vscode'],
      ['a', 'project', 'vscode'],
      ['b', 'project', 'claude'],
      ['c', 'project', 'copilot'],
    ])
    expect(servers[2]?.inputs).toEqual({ k: 'Key' })
    expect(servers[4]?.tools).toEqual(['x'])
    expect(read({ discover: false }).servers).toEqual([])
    expect(read({ editorFiles: false }).servers.map(({ name }) => name)).toEqual(['d', 'b', 'c'])
  })

  it('do not include Cadre itself, which is there for the other programs', () => {
    const stdio = { type: 'stdio', command: 'cadre', args: ['mcp', '--read-only'] }
    write('project/.mcp.json', {
      mcpServers: { cadre: stdio, notes: { command: 'cadre-notes', args: ['mcp'] } },
    })
    write('project/.vscode/mcp.json', { servers: { team: { ...stdio, command: '/opt/bin/cadre' } } })
    const local = { type: 'local', command: '/usr/bin/node', args: ['/opt/cadre/bin/cadre.js', 'mcp'] }
    write('user/.copilot/mcp-config.json', { mcpServers: { cadre: local } })
    const { servers, diagnostics } = read()
    expect(servers.map(({ name }) => name)).toEqual(['notes'])
    expect(diagnostics).toEqual([])
  })

  it("in a file with an error are not used, and the diagnostic has the error's line", () => {
    write('project/.mcp.json', '{\n  "mcpServers": {\n    "a": {"command": "a"}\n    "b": {}\n  }\n}\n')
    const { servers, diagnostics } = read()
    expect(servers).toEqual([])
    expect(diagnostics).toMatchObject([{ line: 4, code: 'mcp-syntax' }])
  })

  it('with the same name are used once: configuration, client, user files, project', () => {
    const of = (command: string) => ({ mcpServers: { x: { command } } })
    write('project/.mcp.json', of('project'))
    const command = (more: Partial<ServerPaths> = {}) => {
      const [server] = read(more).servers
      return server?.reach.kind === 'program' ? server.reach.command : undefined
    }
    expect(command()).toBe('project')
    const ofProject = [{ file: 'p.yaml', scope: 'project' as const, servers: { x: { command: 'shared' } } }]
    expect(command({ configured: ofProject })).toBe('shared')
    write('user/.copilot/mcp-config.json', of('copilot'))
    expect(command({ configured: ofProject })).toBe('copilot')
    const client = {
      ...read().servers[0],
      reach: { kind: 'program', command: 'client', args: [], env: {} },
    } as ServerConfig
    expect(command({ client: [client] })).toBe('client')
    const configured = [{ file: 'c.yaml', scope: 'user' as const, servers: { x: { command: 'own' } } }]
    expect(command({ client: [client], configured })).toBe('own')
  })

  it("of a project never take the name of the user's server, and a diagnostic names both files", () => {
    const own = { command: 'own' }
    write('user/.copilot/mcp-config.json', { mcpServers: { tracker: own, 'a b': own, same: own } })
    const evil = { command: './evil' }
    write('project/.mcp.json', {
      mcpServers: { tracker: evil, Tracker: evil, a_b: evil, same: own, other: evil },
    })
    const agent = (file: string) =>
      ({ name: 'a', mcpServers: { tracker: evil }, source: { path: file, dialect: 'claude' } }) as never
    const { servers, diagnostics } = read({
      agents: [agent(path.join(root, 'project/.claude/agents/a.md')), agent(path.join(root, 'user/a.md'))],
    })
    expect(servers.map(({ name, scope }) => [name, scope])).toEqual([
      ['tracker', 'user'],
      ['a b', 'user'],
      ['same', 'user'],
      ['other', 'project'],
      ['tracker', 'agent'],
    ])
    expect(diagnostics.map(({ code }) => code)).toEqual(['mcp-name', 'mcp-name', 'mcp-name', 'mcp-name'])
    expect(diagnostics[0]).toMatchObject({ path: path.join(root, 'project/.mcp.json') })
    expect(diagnostics[0]?.message).toBe(
      `Cadre does not use the MCP server "tracker" in ${path.join(root, 'project/.mcp.json')}, because the server in ${path.join(root, 'user/.copilot/mcp-config.json')} has the same name and takes precedence. Rename one of them to use both.`,
    )
  })

  it("only the user's configuration can set effects and the sandbox", () => {
    const x = { command: 'x', effects: 'read', sandbox: false }
    write('project/.mcp.json', { mcpServers: { x } })
    const claims = (server: ServerConfig | undefined) => [server?.effects, server?.sandbox]
    expect(claims(read().servers[0])).toEqual([{}, undefined])
    const as = (scope: 'user' | 'project') =>
      read({ configured: [{ file: 'c', scope, servers: { x } }] }).servers[0]
    expect(claims(as('project'))).toEqual([{}, undefined])
    expect(claims(as('user'))).toEqual([{ '*': 'read' }, false])
    const [server] = read().servers
    const client = { ...server, effects: { '*': 'read' as const } } as ServerConfig
    const [passed] = read({ project: undefined, client: [client] }).servers
    expect(passed?.scope).toBe('client')
    expect(claims(passed)).toEqual([{}, undefined])
  })

  it('of an agent file belong to that agent, and names refer to configured servers', () => {
    write('project/.mcp.json', { mcpServers: { known: { command: 'k' } } })
    const agent = (name: string, mcpServers: unknown, dialect = 'copilot') =>
      ({ name, mcpServers, source: { path: `/p/${name}.md`, dialect } }) as AgentDefinition
    const { servers, diagnostics } = read({
      agents: [
        agent('a', { own: { command: 'o' } }),
        agent('b', ['known', 'missing', { inline: { url: 'https://i.example' } }], 'claude'),
      ],
    })
    expect(servers.map(({ name, agent: of, syntax }) => [name, of, syntax])).toEqual([
      ['known', undefined, 'claude'],
      ['own', 'a', 'copilot'],
      ['inline', 'b', 'claude'],
    ])
    expect(diagnostics.map(({ message }) => message)).toEqual([
      'The agent b names the MCP server "missing", which is not configured.',
    ])
  })

  it.each([
    ['text', 'must be an object'],
    [{}, 'must have "command" or "url"'],
    [{ command: '' }, 'has a "command" value that is not a string'],
    [{ command: 'x', args: 'y' }, 'has an "args" value that is not a list of strings'],
    [{ command: 'x', env: { A: {} } }, 'has an "env" entry whose value is not a string'],
    [{ command: 'x', tools: 'a' }, 'has a "tools" value that is not a list of names'],
    [{ command: 'x', timeout: -1 }, 'has a "timeout" value that is not a number'],
    [{ url: 'ftp://x' }, 'has a "url" value that is not an http or https address'],
    [{ type: 'sse', url: 'https://x' }, 'uses the "sse" transport'],
    [{ command: 'x', effects: 'all' }, 'has an "effects" value that is not one of'],
  ])('that are invalid are named, and the others still work: %j', (server, message) => {
    write('project/.mcp.json', {
      mcpServers: { bad: server, good: { command: 'x' }, off: { command: 'x', disabled: true } },
    })
    const { servers, diagnostics } = read()
    expect(servers.map(({ name }) => name)).toEqual(['good'])
    expect(diagnostics[0]?.message).toContain(`The MCP server "bad" ${message}`)
  })

  it.each([['{'], ['[]'], ['{"mcpServers": []}'], ['['.repeat(100_000)]])(
    'in a broken file are none: %.20s',
    (text) => {
      write('project/.mcp.json', text)
      const { servers, diagnostics } = read()
      expect([servers.length, diagnostics.length]).toEqual([0, 1])
    },
  )

  it('in a file that links outside the project are not read', () => {
    write('elsewhere.json', { mcpServers: { x: { command: 'x' } } })
    mkdirSync(path.join(root, 'project'), { recursive: true })
    symlinkSync(path.join(root, 'elsewhere.json'), path.join(root, 'project/.mcp.json'))
    expect(read()).toMatchObject({ servers: [], diagnostics: [{ code: 'mcp-unreadable' }] })
  })
})
