import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { describe, expect } from 'vitest'
import { inDeep, sampled } from '../support/amount.ts'
import { agentFile, createProject, delegate, deployTool, type Project, report } from './support/project.ts'

const test = sampled(4)
const write = (path: string) => ({ tool: 'write_file', input: { path, content: 'written\n' } })
const run = ['run', '--allow', 'write', '--model', 'scripted:p.yaml', '--json', 'Do it.']

/** A lead with two workers of the same agent, which run at the same time. */
const team = {
  ...agentFile('lead', { tools: ['delegateWork', 'read'] }),
  ...agentFile('worker', { tools: ['edit', 'read'] }),
  'p.yaml': {
    lanes: {
      lead: [
        { reply: 'I ask both.', calls: [delegate('worker', 'Write a.'), delegate('worker', 'Write b.')] },
        { calls: [{ tool: 'read_file', input: { path: 'p.yaml', limit: 1 } }] },
        { reply: 'All is done.' },
      ],
      worker: {
        sessions: [
          { when: 'Write a', steps: [{ calls: [write('a.txt')] }, report('I wrote a.')] },
          { when: 'Write b', steps: [{ calls: [write('b.txt')] }, report('I wrote b.')] },
        ],
      },
    },
  },
}

async function recorded(files: Readonly<Record<string, string | object>>, args = run): Promise<Project> {
  const project = createProject(files)
  const { code, stdout, stderr } = await project.cadre(args)
  expect([code, code === 0 ? '' : stdout + stderr]).toEqual([0, ''])
  await recordNewest(project)
  return project
}

async function recordNewest(project: Project, ...flags: string[]): Promise<void> {
  const [newest] = JSON.parse((await project.cadre(['sessions', 'list', '--roots', '--json'])).stdout)
  const ended = await project.cadre(['record', newest.id, '--out', 'run.fixture.json', ...flags])
  expect([ended.code, ended.stderr]).toEqual([0, ''])
}

interface Found {
  readonly kind: string
  readonly session: number
  readonly agents: string[]
  readonly round: number
  readonly call?: { id: string; tool: string }
  readonly what?: string
  readonly before: unknown
  readonly after: unknown
  readonly isAfterDifference?: true
}

async function replayed(
  project: Project,
  ...flags: string[]
): Promise<{ code: number | null; found: Found[] }> {
  const { code, stdout, stderr } = await project.cadre(['replay', 'run.fixture.json', '--json', ...flags])
  if (stdout === '') throw new Error(stderr)
  return { code, found: JSON.parse(stdout).differences }
}

const same = { code: 0, found: [] }

inDeep('two children of the same agent at the same time: no difference, and nothing is changed', async () => {
  const project = await recorded(team)
  const before = project.listing()
  expect(await replayed(project)).toEqual(same)
  expect(project.listing()).toEqual(before)
})

describe('a change after the record is reported exactly', () => {
  test('a tightened policy', async () => {
    const project = await recorded(team)
    project.write('.cadre/storage/policy.yaml', { 'paths.deny': { write: ['b.txt'] } })
    const { code, found } = await replayed(project)
    expect(code).toBe(1)
    const [first, ...later] = found
    expect(first).toMatchObject({
      kind: 'decision',
      agents: ['lead', 'worker'],
      round: 1,
      call: { tool: 'write_file' },
      before: [{ decision: 'allow', by: 'policy', rule: 'effects.write' }],
      after: [{ decision: 'deny', by: 'policy', rule: 'paths.deny.write' }],
    })
    expect(first).not.toHaveProperty('isAfterDifference')
    expect(later).toEqual([])
    const { stdout } = await project.cadre(['replay', 'run.fixture.json'])
    expect(stdout).toMatch(
      /^lead › worker \(session \d\), round 1, write_file \(\S+\): decision\n {4}- allow by/,
    )
    expect(stdout).toMatch(/^ {4}\+ deny by policy, paths\.deny\.write: /m)
    expect(stdout).toMatch(/: 1 difference\n$/)
  })

  test("an agent's prompt", async () => {
    const project = await recorded(team)
    project.write(
      ...fileOf(agentFile('worker', { tools: ['edit', 'read'], system_prompt: 'You are careful.' })),
    )
    const { code, found } = await replayed(project)
    expect(code).toBe(1)
    expect(found.map(({ kind, agents }) => [kind, agents])).toEqual([
      ['prompt', ['lead', 'worker']],
      ['prompt', ['lead', 'worker']],
    ])
    expect(found[0]?.before).toMatch(/^You are worker\./)
    expect(found[0]?.after).toMatch(/^You are careful\./)
    expect((await project.cadre(['replay', 'run.fixture.json'])).stdout).toContain(
      'prompt\n    - You are worker.\n    + You are careful.\n',
    )
  })

  test('a tool removed from an agent', async () => {
    const project = await recorded(team)
    project.write(...fileOf(agentFile('worker', { tools: ['read'] })))
    const { code, found } = await replayed(project)
    expect(code).toBe(1)
    expect(found.filter(({ kind }) => kind === 'agent')).toMatchObject([
      { what: 'tools', before: { names: ['edit', 'read'] }, after: { names: ['read'] } },
      { what: 'tools' },
    ])
    expect(found.filter(({ kind }) => kind === 'decision')).toMatchObject([
      { call: { tool: 'write_file' }, after: [{ decision: 'deny', by: 'agent' }] },
      { call: { tool: 'write_file' }, after: [{ decision: 'deny', by: 'agent' }] },
    ])
  })

  test('a hook that denies, unless hooks are switched off', async () => {
    const project = await recorded(team)
    const hook = { type: 'command', command: 'echo not today >&2; exit 2' }
    project.write('.claude/settings.json', {
      hooks: { PreToolUse: [{ matcher: 'Read', hooks: [hook] }] },
    })
    const { code, found } = await replayed(project, '--trust')
    expect(code).toBe(1)
    expect(found).toMatchObject([
      {
        kind: 'decision',
        session: 1,
        round: 2,
        call: { tool: 'read_file' },
        before: [{ decision: 'allow' }],
        after: [{ decision: 'deny', by: 'hook', reason: expect.stringContaining('not today') }],
      },
    ])
    expect(await replayed(project, '--trust', '--no-hooks')).toEqual(same)
  })

  test('the entry agent is gone', async () => {
    const project = await recorded(team)
    project.write(...fileOf(agentFile('lead', { id: 'boss' })))
    expect(await replayed(project)).toMatchObject({
      code: 1,
      found: [{ kind: 'session', session: 1, before: 'started' }],
    })
  })

  test('a denied delegation: later replies still come, and what follows is marked', async () => {
    const project = await recorded(team)
    project.write('.cadre/storage/policy.yaml', { 'subagent.enabled': false })
    const { found } = await replayed(project)
    const own = found.filter(({ isAfterDifference, kind }) => !isAfterDifference && kind !== 'prompt')
    expect(own).toMatchObject([{ kind: 'decision', session: 1, round: 1, call: { tool: 'delegateWork' } }])
    expect(found.filter(({ isAfterDifference }) => isAfterDifference)).toMatchObject([
      { kind: 'decision', session: 1, round: 1 },
      { kind: 'session', session: 2, after: 'not started' },
      { kind: 'session', session: 3, after: 'not started' },
    ])
  })

  test('--update accepts the differences', async () => {
    const project = await recorded(team)
    project.write('.cadre/storage/policy.yaml', { 'paths.deny': { write: ['b.txt'] } })
    const updated = await project.cadre(['replay', 'run.fixture.json', '--update'])
    expect([updated.code, updated.stdout]).toEqual([0, expect.stringMatching(/The fixture was updated\n$/)])
    expect(await replayed(project)).toEqual(same)
    project.write('.cadre/storage/policy.yaml', {})
    expect((await replayed(project)).found).toMatchObject([
      { kind: 'decision', after: [{ decision: 'allow' }] },
    ])
  })
})

function fileOf(files: Record<string, object>): [string, object] {
  return Object.entries(files)[0] as [string, object]
}

describe('a run with people in it', () => {
  const asks = {
    ...agentFile('lead'),
    ...deployTool,
    'p.yaml': {
      lanes: {
        lead: [
          {
            calls: [
              { tool: 'deploy', input: { to: 'test' } },
              { tool: 'deploy', input: { to: 'production' } },
            ],
          },
          { reply: 'It says: {{last}}' },
          { reply: 'And now: {{work}}' },
        ],
      },
    },
  }
  const deploy = ['run', '--trust', '--model', 'scripted:p.yaml', '--json', 'Deploy it.']

  test('approvals and rejections are answered as recorded, even after a resume with more work', async () => {
    const project = createProject(asks)
    expect((await project.cadre(deploy)).code).toBe(3)
    const [lead = ''] = project.sessions()
    expect((await project.cadre(['record', lead])).stderr).toMatch(/has not ended: .*cadre resume lead-/)
    const pending = JSON.parse((await project.cadre(['approvals', '--json'])).stdout) as { id: string }[]
    await project.cadre(['approve', pending[0]?.id ?? ''])
    await project.cadre(['reject', pending[1]?.id ?? '', '--reason', 'Not on Fridays'])
    const model = ['--model', 'scripted:p.yaml']
    expect((await project.cadre(['resume', '--trust', ...model, lead])).code).toBe(0)
    expect((await project.cadre(['resume', '--trust', ...model, lead, 'And then?'])).code).toBe(0)
    await recordNewest(project)
    const fixture = JSON.parse(project.read('run.fixture.json'))
    expect(JSON.stringify(fixture)).toContain('Not on Fridays')
    expect(await replayed(project, '--trust')).toEqual(same)
    expect(project.exists('deployed.txt')).toBe(false)
    // A call that a rule allows now is no longer asked about.
    fixture.run.allow = ['execute']
    project.write('run.fixture.json', fixture)
    const { found } = await replayed(project, '--trust')
    expect(found[0]).toMatchObject({
      kind: 'decision',
      before: [{ decision: 'ask' }, { decision: 'allow', by: 'approval', rule: 'approve' }],
      after: [{ decision: 'allow', by: 'policy' }],
    })
  })
})

inDeep('a run that was killed in the middle of a call, and resumed', async () => {
  const hanging = deployTool['.cadre/deploy.mjs'].replace(
    'run: async () => ({',
    `run: async () => ((await import('node:fs')).existsSync('ready') || await new Promise((done) => setTimeout(done, 1e8)), {`,
  )
  const project = createProject({
    ...agentFile('lead'),
    ...deployTool,
    '.cadre/deploy.mjs': hanging,
    'p.yaml': {
      lanes: {
        lead: [{ calls: [{ tool: 'deploy', input: { to: 'test' } }] }, { reply: 'It says: {{last}}' }],
      },
    },
  })
  const flags = ['--trust', '--allow', 'execute', '--model', 'scripted:p.yaml']
  const running = project.start(['run', ...flags, 'Deploy it.'])
  await running.until((_, stderr) => stderr.includes('→ deploy'))
  const [lead = ''] = project.sessions()
  const refused = await project.cadre(['record', lead])
  expect([refused.code, refused.stderr]).toEqual([6, expect.stringMatching(/is running in process \d+/)])
  running.child.kill('SIGKILL')
  await running.ended()
  project.write('ready', '')
  const model = ['--trust', '--model', 'scripted:p.yaml']
  expect((await project.cadre(['resume', ...model, lead])).code).toBe(3)
  const [pending] = JSON.parse((await project.cadre(['approvals', '--json'])).stdout) as { id: string }[]
  await project.cadre(['approve', pending?.id ?? ''])
  expect((await project.cadre(['resume', ...model, lead])).code).toBe(0)
  await recordNewest(project)
  expect(await replayed(project, '--trust')).toEqual(same)
})

describe('a fixture is data', () => {
  test('without secrets, paths and ids of this machine', async () => {
    const key = `ghp_${'A1b2C3d4E5f6G7h8I9j0'.repeat(2)}`
    const project = createProject({
      ...agentFile('lead'),
      'p.yaml': {
        lanes: {
          lead: [
            {
              calls: [{ tool: 'write_file', input: { path: 'PLACE/k.txt', content: `token: ${key}` } }],
            },
            { reply: `The key is ${key}, and hunter2hunter2.` },
          ],
        },
      },
    })
    project.write('p.yaml', project.read('p.yaml').replace('PLACE', project.path))
    const env = { MY_PASSWORD: 'hunter2hunter2' }
    expect((await project.cadre(run, { env })).code).toBe(0)
    const [lead = ''] = project.sessions()
    const { stdout } = await project.cadre(['record', lead], { env })
    for (const hidden of [key, 'hunter2hunter2', project.path, lead]) expect(stdout).not.toContain(hidden)
    project.write('run.fixture.json', stdout)
    expect((await project.cadre(['replay', 'run.fixture.json'], { env })).stdout).toMatch(/no difference/)
  })

  test.each([
    ['nosuch.json', 'there is no such file. Create a fixture with "cadre record".'],
    ['.', 'this is a folder. Specify the file that "cadre record" created.'],
  ])('the error for %s explains what to do', async (file, said) => {
    const project = createProject(team)
    const { code, stdout, stderr } = await project.cadre(['replay', file])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(said)
    expect(stderr).toContain(project.path)
  })

  test('a broken one is explained, with nothing printed raw', async () => {
    const project = await recorded(team)
    const whole = project.read('run.fixture.json')
    const changed = (change: (fixture: never) => void) => {
      const fixture = JSON.parse(whole)
      change(fixture as never)
      return JSON.stringify(fixture)
    }
    type Any = Record<string, never> & { sessions: { entries: { content: unknown }[]; parent: unknown }[] }
    const cases: [string, RegExp][] = [
      [whole.slice(0, whole.length / 2), /incomplete: the file ends in the middle/],
      ['\u001b]0;owned\u0007{', /not valid JSON/],
      ['[]', /not a fixture from "cadre record"/],
      [changed((it: Any) => Object.assign(it, { version: 7 })), /version 7, but this Cadre reads version 1/],
      [changed((it: Any) => Object.assign(it, { sessions: [] })), /sessions must not be empty/],
      [
        changed((it: Any) => Object.assign(it.sessions[0]?.entries[0] ?? {}, { content: 7 })),
        /sessions\[0\]\.entries\[0\]\.content must be a string/,
      ],
      [
        changed((it: Any) => Object.assign(it.sessions[1] ?? {}, { parent: { session: 2, call: 'x' } })),
        /sessions\[1\]\.parent\.session must be the number of an earlier session/,
      ],
    ]
    for (const [text, message] of cases) {
      project.write('run.fixture.json', text)
      const { code, stdout, stderr } = await project.cadre(['replay', 'run.fixture.json'])
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toMatch(message)
      expect(stderr).not.toContain('\u001b')
    }
    const big = project.at('run.fixture.json')
    writeFileSync(big, '{')
    truncateSync(big, 100 * 1024 * 1024)
    expect((await project.cadre(['replay', big])).stderr).toMatch(/is too large: 100 MB\. The limit is 64 MB/)
    expect((await project.cadre(['replay', 'missing.json'])).code).toBe(2)
  })

  test('terminal escapes in it never reach the terminal', async () => {
    const project = await recorded(team)
    const text = readFileSync(project.at('run.fixture.json'), 'utf8')
    project.write(
      'run.fixture.json',
      text.replaceAll('You are worker.', 'You \\u001b[31mare\\u009b31m worker.'),
    )
    const { code, stdout } = await project.cadre(['replay', 'run.fixture.json'])
    expect(code).toBe(1)
    expect(stdout).toContain('- You \\u{1b}[31mare\\u{9b}31m worker.')
    for (const raw of ['\u001b', '\u009b']) expect(stdout).not.toContain(raw)
  })
})
