import { expect, test } from 'vitest'
import { createTestHome, type TestHome } from '../home.spec-helpers.ts'
import { decide, readAction, readApprovals } from './read-approvals.ts'

const edit = { tool: 'edit_file', input: { path: 'a.txt', old: 'wrld', new: 'world' } }
const answered = { reply: 'It says: {{last}}' }

async function withWaiting(
  calls: readonly object[],
  files: Record<string, string> = { 'a.txt': 'hello wrld\n' },
) {
  const home = createTestHome(files)
  const result = await home.run([{ calls }, answered])
  if (result.kind !== 'waiting') throw new Error('it should wait')
  return { home, session: result.session }
}

async function inHome<T>(
  home: TestHome,
  work: (sessions: Awaited<ReturnType<TestHome['open']>>) => Promise<T>,
) {
  const sessions = await home.open()
  try {
    return await work(sessions)
  } finally {
    await sessions.close()
  }
}

const only = (home: TestHome, isShown = (_session: string, _question: string) => false) =>
  inHome(
    home,
    async (sessions) => (await readApprovals(sessions, isShown))[0] ?? expect.fail('nothing waits'),
  )

test('lists an edit with its agent and risk, and shows it as a diff', async () => {
  const { home, session } = await withWaiting([edit])
  const item = await only(home)
  expect(item).toMatchObject({
    session,
    agent: 'assistant',
    title: 'Write a.txt',
    isWhole: false,
    isDoubt: false,
    isShown: false,
    isRepeatable: true,
    grants: ['write in the workspace'],
  })
  expect(item.text).toContain('Approving for this session permits: write in the workspace')
  const action = await inHome(home, (sessions) => readAction(sessions, item))
  expect(action?.files).toEqual([{ path: 'a.txt', before: 'hello wrld\n', after: 'hello world\n' }])
  expect(action?.text).toContain('Path: a.txt\nArgument old: wrld\nArgument new: world\n')
  expect(action?.text).toContain(`Folder: ${home.workspace}\nAgent: assistant\n`)
})

test.each([
  ['an edit that does not fit', { tool: 'edit_file', input: { path: 'a.txt', old: 'nothing', new: 'x' } }],
  [
    'text that an editor does not show',
    { tool: 'write_file', input: { path: 'b.txt', content: 'a\u200bb' } },
  ],
  ['a command', { tool: 'execute_command', input: { command: 'touch b.txt' } }],
])('%s is shown completely, as text', async (_, call) => {
  const { home } = await withWaiting([call])
  const item = await only(home)
  const action = await inHome(home, (sessions) => readAction(sessions, item))
  expect(action?.files).toBeUndefined()
  for (const value of Object.values(call.input))
    expect(action?.text).toContain(value.replace('\u200b', '\\u200b'))
})

test('characters that were already in the file do not hide the diff', async () => {
  const { home } = await withWaiting([edit], { 'a.txt': 'wrld\nwave \ud83d\udc4b\ufe0f\n' })
  const item = await only(home)
  expect((await inHome(home, (sessions) => readAction(sessions, item)))?.files).toHaveLength(1)
})

test('a rejection reaches the agent with its reason, and a second decision is told so', async () => {
  const { home, session } = await withWaiting([edit])
  const item = await only(home)
  const reject = { decision: 'reject', reason: 'Use another file.' }
  expect(await inHome(home, (sessions) => decide(sessions, item, reject))).toEqual({
    kind: 'decided',
    root: session,
    resumes: 'nobody',
  })
  expect(await inHome(home, (sessions) => decide(sessions, item, { decision: 'approve' }))).toEqual({
    kind: 'refused',
    reason: expect.stringMatching(/^This was already rejected by .+\. The first decision applies$/),
  })
  const result = await home.resume(session)
  expect(result.kind === 'report' && result.report.text).toMatch(
    /^It says: rejected by .+: Use another file\.$/,
  )
})

test('decides nothing about an unknown question, or with an invalid answer', async () => {
  const { home, session } = await withWaiting([edit])
  const item = await only(home)
  const wanted = { decision: 'approve' }
  const decideOn = (target: { session: string; question: string }, answer: { decision: string }) =>
    inHome(home, (sessions) => decide(sessions, target, answer))
  expect(await decideOn({ session, question: 'approval/other' }, wanted)).toEqual({ kind: 'missing' })
  expect(await decideOn({ session: 'other-1', question: item.question }, wanted)).toEqual({ kind: 'missing' })
  await expect(decideOn(item, { decision: 'done' })).rejects.toThrow('cannot be answered with "done"')
  expect(await only(home)).toEqual(item)
})

test('a run in another process finds the decision, and continues', async () => {
  const home = createTestHome()
  let asked = () => {}
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve
  })
  const running = home.run(
    [{ calls: [{ tool: 'write_file', input: { path: 'b.txt', content: 'x' } }] }, answered],
    {
      ask: (_session, _question, signal) => {
        asked()
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined)))
      },
    },
  )
  await isAsked
  const item = await only(home)
  // Running it in this process does not mean that a person sees the question.
  expect(item.isShown).toBe(false)
  const isItem = (session: string, question: string) => session === item.session && question === item.question
  expect((await only(home, isItem)).isShown).toBe(true)
  expect(await inHome(home, (sessions) => decide(sessions, item, { decision: 'approve' }))).toMatchObject({
    resumes: 'process',
  })
  const result = await running
  expect(result.kind === 'report' && result.report.text).toBe('It says: Created b.txt (1 byte).')
})
