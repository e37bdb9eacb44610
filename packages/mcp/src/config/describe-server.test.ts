import { expect, it } from 'vitest'
import { describeServer } from './describe-server.ts'
import { readServer } from './read-server.ts'

const long = 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'

it.each<[object, string]>([
  [{ command: 'npx', args: ['-y', 'a b'] }, 'npx -y "a b"'],
  [
    { command: 'x', env: { NODE_OPTIONS: '--require ./evil.js' } },
    'x, with NODE_OPTIONS="--require ./evil.js"',
  ],
  [{ command: 'x', env: { API_TOKEN: 'hunter2' } }, 'x, with API_TOKEN=***'],
  [{ command: 'x', env: { API_TOKEN: `\${API_TOKEN}` } }, `x, with API_TOKEN=\${API_TOKEN}`],
  [
    { command: 'x', args: ['--token', 'hunter2', '--api-key=hunter2', '--port', '1'] },
    'x --token *** --api-key=*** --port 1',
  ],
  [{ command: 'x', cwd: 'sub', envFile: '.env' }, 'x, variables from .env, in sub'],
  [
    { url: 'https://user:hunter2@a.example/x?api_key=hunter2&q=1' },
    'https://***@a.example/x?api_key=***&q=1',
  ],
  [
    { url: 'https://a.example', headers: { Authorization: 'Bearer hunter2' } },
    'https://a.example, with Authorization=***',
  ],
  [
    { url: 'https://a.example', headers: { Authorization: `Bearer \${T}` } },
    `https://a.example, with Authorization="Bearer \${T}"`,
  ],
  [
    {
      command: 'docker',
      args: ['run', '-e', `GITHUB_PERSONAL_ACCESS_TOKEN=ghp_${long}`, '-e', 'GH_PAT=hunter2', 'image'],
    },
    'docker run -e GITHUB_PERSONAL_ACCESS_TOKEN=*** -e GH_PAT=*** image',
  ],
  [
    { command: 'x', args: ['--header', `Authorization: Bearer sk-${long}`, '-H', 'Cookie: a=b; c=d'] },
    'x --header "Authorization: ***" -H "Cookie: ***"',
  ],
  [{ command: 'x', args: ['--header=Authorization: Bearer hunter2'] }, 'x "--header=Authorization: ***"'],
  [{ command: 'x', args: [`Authorization: Bearer \${T}`] }, `x "Authorization: Bearer \${T}"`],
  [{ command: 'x', args: ['-e', `T_TOKEN=\${T}`, `$TOKEN`] }, `x -e T_TOKEN=\${T} $TOKEN`],
  [{ command: 'x', args: [`ghp_${long}`, `--key-is=sk-${long}`] }, 'x ghp_*** --key-is=sk-***'],
  [{ command: 'x', env: { GH_PAT: 'hunter2', PATH: '/bin' } }, 'x, with GH_PAT=*** PATH=/bin'],
  [
    { command: 'x', args: ['postgres://u:p@w@host/db'], env: { DATABASE_URL: 'postgres://u:pw@host/db' } },
    'x postgres://***@host/db, with DATABASE_URL=postgres://***@host/db',
  ],
  [
    { command: 'x', env: { DATABASE_URL: `postgres://\${U}:\${PW}@host/db` } },
    `x, with DATABASE_URL=postgres://\${U}:\${PW}@host/db`,
  ],
  [
    { command: 'x', args: [`\${API_KEY:-hunter2}`, `\${PORT:-80}`], env: { A_TOKEN: `\${T:-hunter2}` } },
    `x \${API_KEY:-***} \${PORT:-80}, with A_TOKEN=\${T:-***}`,
  ],
  // What runs after a value that looks secret stays visible.
  [{ command: 'sh', args: ['-c', 'TOKEN=1 evil'] }, 'sh -c "TOKEN=*** evil"'],
  [{ command: 'sh', args: ['-c', 'TOKEN=1;evil'] }, 'sh -c "TOKEN=***;evil"'],
  [{ command: 'sh', args: ['-c', 'evil && GH_PAT=hunter2 run'] }, 'sh -c "evil && GH_PAT=*** run"'],
  [{ command: 'x\u200b', args: ['\u202ey'] }, '"x" "y"'],
  [{ command: 'x', args: ['a'.repeat(5_000), 'evil.js'] }, `x ${'a'.repeat(5_000)} evil.js`],
])('shows a server completely, without secrets and hidden characters: %j', (entry, expected) => {
  const base = { name: 'x', scope: 'project', file: '.mcp.json', syntax: 'claude', inputs: {} } as const
  const read = readServer(base, entry as never)
  expect(read.kind === 'server' && describeServer(read.server)).toBe(expected)
})
