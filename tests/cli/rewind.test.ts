import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { agentFile, createProject, delegate, report } from './support/project.ts'

const write = { tool: 'write_file', input: { path: 'a.txt', content: 'a' } }

async function createRun() {
  const project = createProject({
    ...agentFile('lead'),
    ...agentFile('worker'),
    'p.yaml': {
      lanes: {
        lead: [{ calls: [delegate('worker', 'Look.'), write] }, { reply: 'Done.' }],
        worker: [report('I looked.')],
      },
    },
  })
  const args = ['run', '--json', '--allow', 'write', '--model', 'scripted:p.yaml', 'Do it.']
  const ran = await project.cadre(args)
  const { session } = ran.json().at(-1) as { session: string }
  const file = `.cadre/sessions/${session}.session.yaml`
  return { project, session, file }
}

interface Shown {
  readonly entries: readonly { readonly seq: number; readonly role: string }[]
}

test('rewind shows what it removes and keeps, removes the entries, and resume continues from there', async () => {
  const { project, session, file } = await createRun()
  const { entries } = JSON.parse(
    (await project.cadre(['sessions', 'show', session, '--json'])).stdout,
  ) as Shown
  const result = entries.find(({ role }) => role === 'tool_result')?.seq ?? 0
  const before = project.read(file)
  const worker = project.sessions().find((id) => id.startsWith('worker')) as string
  const shown = await project.cadre(['sessions', 'rewind', session.slice(0, 6), String(result), '--dry-run'])
  expect(shown.stdout).toBe(
    `Would remove ${entries.length - 1} entries from ${session}, starting with number 2.\n` +
      `These stay as they are:\n  session ${worker}\n  file a.txt\n`,
  )
  expect(project.read(file)).toBe(before)
  const done = await project.cadre(['sessions', 'rewind', session, String(result), '--json'])
  expect(JSON.parse(done.stdout)).toEqual({
    session,
    seq: 2,
    removed: entries.length - 1,
    children: [worker],
    commits: [],
    files: ['a.txt'],
    dryRun: false,
  })
  expect(before.startsWith(project.read(file).slice(0, 100))).toBe(true)
  expect(project.read(file)).not.toContain('Done.')
  expect(existsSync(`${project.path}/a.txt`)).toBe(true)
  const resumed = await project.cadre(['resume', session, '--allow', 'write', '--quiet'])
  expect([resumed.code, resumed.stdout]).toEqual([0, 'Done.\n'])
  for (const [entry, words] of [
    ['1', 'which cannot be removed'],
    ['999', 'there is no entry 999'],
    ['x', 'must be an integer'],
  ] as const) {
    const refused = await project.cadre(['sessions', 'rewind', session, entry])
    expect([entry, refused.code, refused.stderr]).toEqual([entry, 2, expect.stringContaining(words)])
  }
})

test('fork starts a session with the conversation, and leaves the first one as it is', async () => {
  const { project, session, file } = await createRun()
  const before = project.read(file)
  const last = (before.match(/ {2}- seq: \d+/g) ?? []).length
  const more = ['--model', 'scripted:p.yaml', '--allow', 'write', '--json', 'And so?']
  const forked = await project.cadre(['sessions', 'fork', session, String(last), ...more])
  expect(forked.code, forked.stderr).toBe(0)
  const { session: made } = forked.json().at(-1) as { session: string }
  expect(made).not.toBe(session)
  expect(project.read(file)).toBe(before)
  const { entries } = JSON.parse((await project.cadre(['sessions', 'show', made, '--json'])).stdout) as Shown
  expect(entries.slice(0, 3)).toMatchObject([
    { role: 'user', content: 'Do it.', earlier: true },
    { role: 'assistant', content: 'Done.', earlier: true },
    { role: 'user', content: 'And so?' },
  ])
  const refused = await project.cadre(['sessions', 'fork', session, '99', 'x'])
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('there is no entry 99')])
})
