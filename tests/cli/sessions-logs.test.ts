import { expect, test } from 'vitest'
import { agentFile, createProject } from './support/project.ts'

const log = `# Agent: lead
type: lead

## System Prompt

You are lead.

## Conversation

### 2025-10-04 10:00:00 | user

What is in the file?

### 2025-10-04 10:00:01 | tool_call

read_file
path: a.txt

### 2025-10-04 10:00:02 | tool_result

A line.

### 2025-10-04 10:00:03 | assistant

One line.
`

function createLogs() {
  return createProject({
    ...agentFile('lead'),
    'lead.agent.md': log,
    'notes.md': '---\nname: x\n---\n',
    'p.yaml': { lanes: { lead: [{ reply: 'unused' }, { reply: 'unused' }, { reply: 'It said: {{last}}' }] } },
  })
}

test('a chat log becomes a session that continues, and a session becomes a chat log', async () => {
  const project = createLogs()
  const first = await project.cadre(['sessions', 'import', 'lead.agent.md', '--json'])
  expect(first.code).toBe(0)
  const told = first.json()[0] as { session: string }
  expect(told).toMatchObject({ agent: 'lead', entries: 4, status: 'placed', warnings: [] })
  const again = await project.cadre(['sessions', 'import', 'lead.agent.md'])
  expect(again.stdout).toContain(`Session ${told.session} already exists`)
  expect(project.sessions()).toEqual([told.session])
  const exported = await project.cadre(['sessions', 'export', told.session])
  expect(exported.stdout).toMatch(/^# Agent: lead\n/)
  expect(exported.stdout).toContain(
    log.slice(log.indexOf('### 2025-10-04 10:00:00')).replace(/\|(.*)\n\n/g, '|$1\n'),
  )
  const resumed = await project.cadre(['resume', told.session, 'And now?', '--model', 'scripted:p.yaml'])
  expect(resumed.stdout).toContain('It said: And now?')
  const out = await project.cadre([
    'sessions',
    'export',
    told.session,
    '--out',
    'new/out.agent.md',
    '--format',
    'chat-log',
  ])
  expect(out.code).toBe(0)
  expect(project.read('new/out.agent.md')).toMatch(
    /\| user\nAnd now\?\n\n### .* \| assistant\nIt said: And now\?\n$/,
  )
  const taken = await project.cadre(['sessions', 'export', told.session, '--out', 'notes.md'])
  expect(taken.code).not.toBe(0)
  expect(project.read('notes.md')).toBe('---\nname: x\n---\n')
})

test('rejects a file that is not a chat log, in one sentence', async () => {
  const project = createLogs()
  for (const [file, reason] of [
    ['notes.md', 'agent header'],
    ['p.yaml', 'does not begin with'],
    ['missing.md', 'file not found'],
    ['.', 'regular file'],
  ] as const) {
    const { code, stderr } = await project.cadre(['sessions', 'import', file])
    expect(code).not.toBe(0)
    expect(stderr).toContain(reason)
  }
  expect(project.sessions()).toEqual([])
})
