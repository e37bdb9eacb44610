import { expect, test } from 'vitest'
import { hiddenCode, hiddenCodeWarning } from './hidden-code.ts'

const program = (line: string, env: Record<string, string> = {}) => {
  const [command = '', ...args] = line.split(' ')
  return { reach: { kind: 'program' as const, command, args, env } }
}

test.each([
  ['sh -c', 'sh -c cd&&run', {}],
  ['bash -lc', '/bin/bash -lc run', {}],
  ['sh -c', 'env A=1 sh -c run', {}],
  ['cmd.exe /c', 'cmd.exe /c run', {}],
  ['node -e', 'node -e require("./x")', {}],
  ['python3 -c', 'python3 -c import', {}],
  ['NODE_OPTIONS', 'srv', { NODE_OPTIONS: '--max-old-space-size=1 --require ./x.cjs' }],
  ['NODE_OPTIONS', 'srv', { NODE_OPTIONS: '--import=./x.mjs' }],
  ['NODE_OPTIONS', 'srv', { NODE_OPTIONS: '-r ./x.cjs' }],
  ['NODE_OPTIONS', 'env A=1 NODE_OPTIONS=--require=./x.cjs node /opt/server.js', {}],
  ['NODE_OPTIONS', '/usr/bin/env NODE_OPTIONS=--import=./x.mjs srv', {}],
  ['LD_PRELOAD', 'srv', { LD_PRELOAD: '/x.so' }],
  ['BASH_ENV', 'srv', { BASH_ENV: 'x' }],
  [
    'PYTHONPATH',
    'srv',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of a configuration file
    { PYTHONPATH: '/usr/lib:${workspaceFolder}/lib' },
  ],
  ['PATH', 'srv', { PATH: 'node_modules/.bin:/usr/bin' }],
])('reports %s in %s', (what, line, env) => {
  expect(hiddenCode(program(line, env as Record<string, string>))).toContain(what)
})

test.each([
  ['npx -y @modelcontextprotocol/server-filesystem /data', {}],
  ['node /opt/server.js -c config.json', {}],
  ['python3 -m server', {}],
  ['sh /opt/start.sh', {}],
  ['srv -c config.json', {}],
  ['env NODE_OPTIONS=--max-old-space-size=1 srv', {}],
  ['srv NODE_OPTIONS=--require=./x.cjs', {}],
  ['srv', { NODE_OPTIONS: '--max-old-space-size=4096', PATH: '/usr/bin:/bin', TOKEN: 'x' }],
  ['srv', { PYTHONPATH: '/opt/lib', LD_PRELOAD: '' }],
])('reports nothing for %s with %j', (line, env) => {
  expect(hiddenCode(program(line, env as Record<string, string>))).toBeUndefined()
})

test('an address does not run anything', () => {
  expect(hiddenCode({ reach: { kind: 'address', url: 'https://x.example', headers: {} } })).toBeUndefined()
})

test('the warning names the server, the reason and what to do', () => {
  expect(hiddenCodeWarning({ name: 'x', ...program('sh -c run') })).toBe(
    "The MCP server x can run a workspace's files outside the sandbox: the server runs a command line in a shell (sh -c). Name the program and its file directly, or set mcp.servers.x.sandbox: true in your config.yaml.",
  )
})
