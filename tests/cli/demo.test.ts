import { expect, test } from 'vitest'
import { inDeep, isDeep } from '../support/amount.ts'
import { createProject } from './support/project.ts'
import { hasScript, openTerminal } from './support/terminal.ts'

const limit = { timeout: 120_000 }

test(
  'the demo does real work offline, reports that its model is scripted, and shows the decisions',
  limit,
  async () => {
    const project = createProject()
    const { code, stdout, stderr } = await project.cadre(['demo', '--dir', 'demo'])
    expect(stderr).toBe('')
    expect(code).toBe(0)
    expect(stdout).toContain('The model is scripted')
    expect(stdout).toContain('--model openai:NAME')
    expect([...stdout.matchAll(/^ ?(\d+) {2}\S/gm)].map(([, step]) => Number(step))).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ])
    expect(stdout).toMatch(/^Decisions .*\n {2}approved by demo: Command: node --version$/m)
    expect(stdout).toContain('Initial state of the home directory')
    // Its own decisions are not manual edits.
    expect(stdout).not.toContain('edited by hand')
    const all = /cadre (approvals --all --home \S+\.cadre)/.exec(stdout)?.[1] ?? ''
    expect((await project.cadre(all.split(' '))).stdout).toContain('node --version')
  },
)

test.runIf(isDeep)('without a folder the demo creates one, and keeps it', limit, async () => {
  const project = createProject()
  project.write('tmp/x', '')
  const { code, json } = await project.cadre(['demo', '--json'], { env: { TMPDIR: project.at('tmp') } })
  expect(code).toBe(0)
  expect(json().at(-1)).toMatchObject({ type: 'demo', steps: 10 })
  expect(
    project.listing().some((line) => /^tmp\/cadre-demo-\w+\/\.cadre\/outbox\/slack\.jsonl /.test(line)),
  ).toBe(true)
})

const asks = '1 approve · 2 reject: '
const count = (screen: string) => screen.split(asks).length - 1

inDeep.skipIf(!hasScript)(
  'a person who rejects the command sees that nothing ran or was sent',
  limit,
  async () => {
    const project = createProject()
    const terminal = openTerminal(project, ['demo', '--dir', 'demo'])
    await terminal.until((screen) => count(screen) > 0)
    terminal.type('2\r')
    expect(await terminal.ended()).toBe(0)
    expect(terminal.screen()).toContain('executor-001 does not run the command')
    expect(terminal.screen()).toMatch(/rejected by \S+: Command: node --version/)
    expect(project.exists('demo/.cadre/outbox/slack.jsonl')).toBe(false)
  },
)

test.skipIf(!hasScript || !isDeep)(
  'a person who rejects the answer sees that nothing was sent',
  limit,
  async () => {
    const project = createProject()
    const terminal = openTerminal(project, ['demo', '--dir', 'demo'])
    await terminal.until((screen) => count(screen) > 0)
    terminal.type('1\r')
    await terminal.until(
      (screen) => screen.includes('Message: ') && screen.lastIndexOf(asks) > screen.indexOf('Message: '),
    )
    terminal.type('2\r')
    expect(await terminal.ended()).toBe(0)
    expect(terminal.screen()).toMatch(/approved by \S+: Command[\s\S]*rejected by \S+: Message/)
    expect(project.exists('demo/.cadre/outbox/slack.jsonl')).toBe(false)
  },
)

inDeep.skipIf(!hasScript)(
  'Ctrl-C at a question stops the demo and its daemon, and explains how to continue',
  limit,
  async () => {
    const project = createProject()
    const terminal = openTerminal(project, ['demo', '--dir', 'demo'])
    await terminal.until((screen) => count(screen) > 0)
    terminal.type('\x03')
    expect(await terminal.ended()).toBe(130)
    expect(terminal.screen()).toContain('cadre up --home')
    const [status] = (await project.cadre(['status', '--json', '--home', 'demo/.cadre'])).json()
    expect(status).toMatchObject({ running: false })
  },
)
