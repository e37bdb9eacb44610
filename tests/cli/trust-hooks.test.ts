import { createAgents } from '@cadre/agents'
import { judgeFolder, readFolderContents, storeAnswer } from '@cadre/gate'
import { createTrust } from '@cadre/home'
import { describe, expect } from 'vitest'
import { sampled } from '../support/amount.ts'
import { createProject, delegate, type Project, report } from './support/project.ts'
import { hasScript, openTerminal } from './support/terminal.ts'

const test = sampled(3)

const read = { tool: 'read_file', input: { path: 'p.yaml', limit: 1 } }
const p = { lanes: { lead: [{ calls: [read] }, { reply: '{{last}}' }] } }
const run = ['run', '--json', '--agent', 'lead', '--model', 'scripted:p.yaml', 'x']
const deny = (why: string, matcher: string) => ({
  matcher,
  hooks: [{ type: 'command', command: `echo ${why} >&2; exit 2` }],
})
const agent = (name: string, hooks?: object) =>
  `---\nname: ${name}\ndescription: x\n${hooks ? `hooks: ${JSON.stringify(hooks)}\n` : ''}---\nWork.\n`

/** A project, and a user with another home directory. */
function projectWith(files: Readonly<Record<string, string | object>>, own: Record<string, object> = {}) {
  const user = createProject(own)
  const project = createProject({
    '.git/HEAD': 'ref: refs/heads/main\n',
    '.claude/agents/lead.md': agent('lead'),
    'p.yaml': p,
    ...files,
  })
  const env = { HOME: user.path }
  return { project, user, env, cadre: (...args: string[]) => project.cadre(args, { env }) }
}

/** Trusts everything in the project now, as a person does. */
async function agree(project: Project, user: Project): Promise<void> {
  const home = project.at('.cadre')
  const agents = createAgents({ project: project.path, home, userHome: user.path }).list()
  const contents = await readFolderContents({ project: project.path, home, agents, userHome: user.path })
  const trust = createTrust({ file: user.at('.config/cadre/trust.yaml') })
  storeAnswer('yes', judgeFolder(project.path, contents, trust), trust)
}

const decisions = (lines: Record<string, unknown>[]) =>
  lines.filter(({ type }) => type === 'call.judged').map(({ decision, reason }) => [decision, reason])

test('hooks run with --trust, for that command', async () => {
  const { project, cadre } = projectWith({
    '.github/hooks/a.json': { hooks: { SessionStart: [{ type: 'command', command: 'touch ran' }] } },
  })
  await cadre(...run)
  expect(project.exists('ran')).toBe(false)
  expect((await cadre(...run, '--trust')).code).toBe(0)
  expect(project.exists('ran')).toBe(true)
})

test.skipIf(!hasScript)('a person trusts hooks once, and again when their scripts change', async () => {
  const { project, env, cadre } = projectWith({
    '.claude/settings.json': {
      hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'node check/a.mjs' }] }] },
    },
    'check/a.mjs': "import './b.mjs'\n",
    'check/b.mjs': "import { appendFileSync } from 'node:fs'\nappendFileSync('ran', 'x')\n",
  })
  const words = ['run', '--agent', 'lead', '--model', 'scripted:p.yaml', 'x']
  const answer = async (keys: string) => {
    const terminal = openTerminal(project, words, { env })
    await terminal.until((screen) => screen.includes('Enter to decide later'))
    terminal.type(keys)
    expect(await terminal.ended()).toBe(0)
    return terminal.screen()
  }
  expect(await answer('\r')).toMatch(/settings\.json\s+\S*runs a hook while agents work/)
  expect(project.exists('ran')).toBe(false)
  await answer('y\r')
  expect(project.read('ran')).toBe('x')
  expect((await cadre(...words, '-q')).stderr).toBe('')
  expect(project.read('ran')).toBe('xx')
  project.write('check/b.mjs', `${project.read('check/b.mjs')}// more\n`)
  expect((await cadre(...words)).stderr).toContain('this folder is not trusted')
  await answer('n\r')
  expect((await cadre(...words)).stderr).toContain('You declined')
  expect(project.read('ran')).toBe('xx')
})

describe('changes during a run', () => {
  // Someone changes files in another window while the agents are working.
  const meanwhile = (command: string) => ({
    '.claude/settings.json': {
      hooks: { PostToolUse: [{ matcher: 'Read', hooks: [{ type: 'command', command }] }] },
    },
  })

  test.each([
    ['is removed', 'rm .claude/settings.json'],
    ['is emptied', "echo '{}' > .claude/settings.json"],
    ['is broken', "echo '{' > .claude/settings.json"],
  ])('hooks apply as they were at the start: the file %s', async (_, command) => {
    const { project, user, cadre } = projectWith(
      {
        '.claude/settings.json': { hooks: { PreToolUse: [deny('no-listing', 'LS')] } },
        'p.yaml': {
          lanes: {
            lead: [
              { calls: [read] },
              { calls: [{ tool: 'list_directory', input: { path: '.' } }] },
              { reply: '{{last}}' },
            ],
          },
        },
      },
      meanwhile(command),
    )
    await agree(project, user)
    const { json, stderr } = await cadre(...run)
    expect(stderr).toBe('')
    expect(decisions(json())).toEqual([
      ['allow', undefined],
      ['deny', expect.stringMatching(/no-listing \(hook \.claude\/settings\.json:\d+\)/)],
    ])
  })

  test('an agent whose hooks changed before it starts can do nothing', async () => {
    const { project, user, cadre } = projectWith(
      {
        '.claude/agents/worker.md': agent('worker', { PreToolUse: [deny('first', 'Write')] }),
        'other.md': agent('worker', {
          PreToolUse: [{ hooks: [{ type: 'command', command: 'touch ran' }] }],
        }),
        'p.yaml': {
          lanes: {
            lead: [{ calls: [read] }, { calls: [delegate('worker')] }, { reply: '{{last}}' }],
            worker: [{ calls: [read] }, report('done')],
          },
        },
      },
      meanwhile('cp other.md .claude/agents/worker.md'),
    )
    await agree(project, user)
    const { json } = await cadre(...run)
    const worker = json()
      .filter(({ type, agent: by }) => type === 'call.judged' && by === 'worker')
      .slice(0, 1)
    expect(worker).toMatchObject([
      {
        decision: 'deny',
        by: 'hook',
        reason: expect.stringContaining("worker's hooks changed after you trusted them"),
      },
    ])
    expect(project.exists('ran')).toBe(false)
  })
})

test('hooks of an agent apply after a resume, as they were trusted', async () => {
  const hooks = { PreToolUse: [deny('no-reading', 'Read')] }
  const write = { tool: 'write_file', input: { path: 'out.txt', content: 'x' } }
  const lanes = { lead: [{ calls: [write] }, { calls: [read] }, { reply: '{{last}}' }] }
  const { project, user, cadre } = projectWith({
    '.claude/agents/lead.md': agent('lead', hooks),
    'p.yaml': { lanes },
  })
  await agree(project, user)
  const waiting = (await cadre(...run)).json().at(-1)!
  expect(waiting['type']).toBe('waiting')
  const [{ session, name }] = waiting['questions'] as [{ session: string; name: string }]
  await cadre('sessions', 'answer', session, name, 'approve')
  const resumed = await cadre('resume', session, '--json')
  expect(decisions(resumed.json()).at(-1)).toEqual(['deny', expect.stringContaining('no-reading (hook ')])
  expect(project.read('out.txt')).toBe('x')
})

test('no agent can write the files that hooks run, of files or of agents, anywhere', async () => {
  const starts = (command: string) => ({ PreToolUse: [{ hooks: [{ type: 'command', command }] }] })
  const targets = ['tools/a.mjs', 'tools/lib.mjs', 'tools/b.sh', 'tools/later.mjs']
  const write = (path: string) => ({ tool: 'write_file', input: { path, content: 'x' } })
  const { project, cadre } = projectWith({
    '.claude/settings.json': { hooks: starts('node tools/a.mjs') },
    '.claude/agents/lead.md': agent('lead', starts('sh tools/b.sh')),
    'tools/a.mjs': "import './lib.mjs'\nimport('./later.mjs').catch(() => {})\n",
    'tools/lib.mjs': '',
    'tools/b.sh': 'exit 0',
    'p.yaml': { lanes: { lead: [{ calls: [...targets, 'tools/free.mjs'].map(write) }, { reply: 'done' }] } },
  })
  const lines = (await cadre(...run, '--trust', '--allow', 'write')).json()
  expect(decisions(lines)).toEqual([
    ...targets.map((path) => [
      'deny',
      `${path} belongs to the files that hooks run, which agents may not change. Ask the user to change it.`,
    ]),
    ['allow', undefined],
  ])
  expect(project.read('tools/b.sh')).toBe('exit 0')
})
