import { existsSync, mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { writeAgent } from '../../packages/backends/src/acp/fake-agent.spec-helpers.ts'
import { bubblewrap } from '../gate/sandbox-support.ts'
import { agentFile, createProject, type Project } from './support/project.ts'

/** A project whose user has configured an agent program, and accepts it without a sandbox. */
function createWorld(body: string, settings: object = { withoutSandbox: true }): Project {
  const project = createProject({ ...agentFile('lead') })
  mkdirSync(project.at('program'))
  const command = [process.execPath, writeAgent(project.at('program'), body)]
  project.write('user/.config/cadre/config.yaml', { acp: { programs: { mine: { command, ...settings } } } })
  return project
}

const cadre = (project: Project, args: readonly string[], env: Record<string, string> = {}) =>
  project.cadre(args, { env: { HOME: project.at('user'), ...env } })

const run = ['run', '--agent', 'lead', '--model', 'acp:mine', '--trust', '--json']

test("the gate answers an agent program's requests, and the report names what it does not control", async () => {
  const project = createWorld(`prompted = async () => {
      const change = (path) => ({ kind: 'edit', title: 'Write', content: [{ type: 'diff', path, oldText: null, newText: 'x' }] })
      const inside = await permit(change(process.cwd() + '/made.txt'))
      if (inside.optionId === 'yes') writeFileSync('made.txt', 'by the program')
      const outside = await permit(change('/etc/evil'))
      const command = await permit({ kind: 'execute', title: 'Harmless', rawInput: { command: 'rm -rf made.txt' } })
      say([inside, outside, command].map(({ optionId }) => optionId).join(' '))
      return done
    }`)
  const ended = await cadre(project, [...run, '--allow', 'write', '--no-human', 'Go'])
  const events = ended.json()
  expect(events.at(-1)).toMatchObject({
    status: 'completed',
    text: 'yes no no',
    model: 'acp:mine',
    usage: { input: 7, output: 3 },
    notices: expect.arrayContaining([
      {
        code: 'model',
        message: expect.stringMatching(/^mine keeps its own tools\. Cadre judges only the actions/),
      },
    ]),
  })
  expect(project.read('made.txt')).toBe('by the program')
  const judged = events.filter(({ type }) => type === 'call.judged')
  expect(judged.map(({ tool, decision }) => [tool, decision])).toEqual([
    ['write_file', 'allow'],
    ['write_file', 'deny'],
    ['execute_command', 'deny'],
  ])
})

test('an action that waits for a person survives the program: Cadre carries it out once it is approved', async () => {
  const project = createWorld(`prompted = async (text) => {
      if (text.includes('started earlier')) { say(text.includes('Exit code 0') ? 'It was done.' : text); return done }
      await permit({ kind: 'execute', title: 'Make', rawInput: { command: 'touch approved.txt' } })
      return done
    }`)
  expect((await cadre(project, [...run, 'Go'])).code).toBe(3)
  expect(project.exists('approved.txt')).toBe(false)
  const { stdout } = await cadre(project, ['approvals', '--json'])
  const [{ id, session, action }] = JSON.parse(stdout)
  expect(action).toContain('touch approved.txt')
  await cadre(project, ['approve', id])
  const resumed = await cadre(project, ['resume', '--trust', '--json', session])
  expect(resumed.json().at(-1)).toMatchObject({ status: 'completed', text: 'It was done.' })
  expect(project.exists('approved.txt')).toBe(true)
})

test('a lead and its delegates run on programs of their own, in parallel', async () => {
  const project = createWorld(`
    const delegated = (work) => call('delegateWork', { agentName: 'worker', workDescription: work, reportExpectations: 'x' })
    prompted = async (text) => {
      const work = /WORK-[AB]/.exec(text)?.[0]
      if (work === undefined) say((await Promise.all([delegated('WORK-A'), delegated('WORK-B')])).join(' | '))
      else await call('reportOut', { report: work + ' is done' })
      return done
    }`)
  for (const [file, content] of Object.entries(agentFile('worker'))) project.write(file, content)
  const ended = await cadre(project, [...run, 'Delegate it.'])
  const report = ended.json().at(-1)
  expect(report).toMatchObject({
    status: 'completed',
    text: expect.stringMatching(/WORK-A is done.*WORK-B is done/s),
  })
  expect(project.sessions()).toHaveLength(3)
})

test('a program with its own tools does not start without a sandbox', async () => {
  const project = createWorld(`writeFileSync(file, '')`, {})
  const PATH = project.at('empty')
  const ended = await cadre(project, [...run, 'Go'], { PATH })
  expect(ended.json().at(-1)).toMatchObject({
    notices: expect.arrayContaining([
      expect.objectContaining({ message: expect.stringContaining('mine runs only in a sandbox') }),
    ]),
  })
  expect(project.exists('program/written')).toBe(false)
  const doctor = await cadre(project, ['doctor', '--model', 'acp:mine'], { PATH })
  expect(doctor.stdout).toMatch(
    /^fail {2}acp:mine +mine, .*; not tested with Cadre; Cadre does not start this program/m,
  )
})

test.skipIf(bubblewrap.kind === 'none')('the sandbox holds what a program does without asking', async () => {
  const systemFile = `/etc/cadre-test-${process.pid}-${Date.now()}`
  onTestFinished(() => rmSync(systemFile, { force: true }))
  const project = createWorld(
    `prompted = async () => {
      const attempts = ['../outside', '${systemFile}', process.env.HOME + '/own', 'made.txt', '.mcp.json', '.cadre/config.yaml']
      const wrote = attempts.filter((place) => { try { writeFileSync(place, 'x'); return true } catch { return false } })
      say(wrote.length + ' ' + (await call('read_file', { path: 'made.txt' })).trim())
      return done
    }`,
    {},
  )
  project.write('.mcp.json', '{}')
  const ended = await cadre(project, [...run, 'Go'])
  expect(ended.json().at(-1)).toMatchObject({ status: 'completed', text: '3 x' })
  expect(project.read('made.txt')).toBe('x')
  expect(project.read('.mcp.json')).toBe('{}')
  expect(existsSync(`${path.dirname(project.path)}/outside`)).toBe(false)
  expect(existsSync(systemFile)).toBe(false)
})

test('an agent file cannot choose a command, and neither can an alias', async () => {
  const project = createProject(agentFile('lead', { model: `acp:${process.execPath} evil.mjs` }))
  project.write('evil.mjs', `import { writeFileSync } from 'node:fs'; writeFileSync('escaped', '')`)
  project.write('.cadre/config.yaml', { aliases: { evil: `acp:${process.execPath} evil.mjs` } })
  for (const model of [[], ['--model', 'evil']]) {
    const ended = await project.cadre(['run', '--agent', 'lead', '--trust', '--json', ...model, 'Go'])
    expect(ended.stderr + ended.stdout).toContain('there is no program named')
  }
  expect(project.exists('escaped')).toBe(false)
})

test('models, doctor and agents show list agent programs', async () => {
  const project = createWorld('')
  const models = await cadre(project, ['models', '--json'])
  expect(JSON.parse(models.stdout)).toContainEqual({ id: 'acp:mine', default: false })
  const doctor = await cadre(project, ['doctor'])
  expect(doctor.stdout).toMatch(/^warn {2}acp:mine +mine, .*keeps its own tools/m)
  expect(doctor.stdout).toMatch(/^ok {4}acp +not installed: .*codex/m)
  const shown = await cadre(project, ['agents', 'show', 'lead', '--model', 'acp:mine', '--json'])
  expect(JSON.parse(shown.stdout).model).toMatchObject({
    used: 'acp:mine',
    warning: expect.stringContaining(
      'can read and change files in the workspace, run programs and use the network',
    ),
  })
})
