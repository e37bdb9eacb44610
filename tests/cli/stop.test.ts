import { kill } from 'node:process'
import { expect } from 'vitest'
import { sampled, share } from '../support/amount.ts'
import { agentFile, createProject, delegate, type Project, report } from './support/project.ts'

const test = sampled(4)

const hangs = { hang: true }
const playbook = (worker: object) => ({
  lanes: {
    lead: [{ calls: [delegate('quick'), delegate('slow')] }, { reply: 'All is done.' }],
    quick: [report('quick is done')],
    slow: [worker],
  },
})

function createTeam(): Project {
  return createProject({
    ...agentFile('lead'),
    ...agentFile('quick'),
    ...agentFile('slow'),
    'p.yaml': playbook(hangs),
  })
}

const run = ['run', '--model', 'scripted:p.yaml', 'Do it.']

/** The whole tree hangs: its fast part has reported, its slow part hangs during a request. */
async function hangingRun(project: Project) {
  const running = project.start([...run.slice(0, 1), '--json', ...run.slice(1)])
  await running.until((stdout) =>
    stdout.split('\n').some((line) => line.includes('"round.started"') && line.includes('"slow-')),
  )
  await running.until((stdout) =>
    stdout.split('\n').some((line) => line.includes('"session.ended"') && line.includes('"quick-')),
  )
  const lead = /"session":"(lead-\w+)"/.exec(running.stdout())?.[1] as string
  const slow = /"session":"(slow-\w+)"/.exec(running.stdout())?.[1] as string
  return { running, lead, slow }
}

const header = (project: Project, id: string) => {
  const text = project.read(`.cadre/sessions/${id}.session.yaml`)
  return { status: /^status: (\w+)/m.exec(text)?.[1], outcome: /^ {2}outcome: (\w+)/m.exec(text)?.[1] }
}

test.each(share(['SIGINT', 'SIGTERM'] as const, 2))(
  '%s cancels the whole tree, explains how to continue, and resume completes it',
  async (signal) => {
    const project = createTeam()
    const { running, lead, slow } = await hangingRun(project)
    running.child.kill(signal)
    const { code, stderr, json } = await running.ended()
    expect(code).toBe(130)
    expect(json().at(-1)).toMatchObject({ type: 'report', session: lead, status: 'cancelled' })
    expect(stderr).toContain(`cadre resume ${lead}`)
    expect(header(project, lead)).toEqual({ status: 'error', outcome: 'cancelled' })
    expect(header(project, slow)).toEqual({ status: 'error', outcome: 'cancelled' })

    project.write('p.yaml', playbook(report('slow is done')))
    const resumed = await project.cadre(['resume', lead, '--json'])
    expect(resumed.json().at(-1)).toMatchObject({
      type: 'report',
      session: lead,
      status: 'completed',
      text: 'All is done.',
    })
    expect(resumed.code).toBe(0)
    expect(project.sessions().filter((id) => id.startsWith('quick-'))).toHaveLength(1)
  },
)

test('kill -9 loses nothing: resume gives the report, and nothing is done twice', async () => {
  const project = createTeam()
  const { running, lead } = await hangingRun(project)
  running.child.kill('SIGKILL')
  expect((await running.ended()).signal).toBe('SIGKILL')
  project.write('p.yaml', playbook(report('slow is done')))
  const resumed = await project.cadre(['resume', lead.slice(0, -2)])
  expect(resumed.stdout).toContain('All is done.')
  expect(resumed.code).toBe(0)
  expect(project.sessions()).toHaveLength(3)
  // A completed session is only shown again, by any prefix of its id.
  const again = await project.cadre(['sessions', 'resume', 'lead', '--json'])
  expect(again.json()).toMatchObject([{ type: 'report', status: 'completed', text: 'All is done.' }])
  expect(again.code).toBe(0)
})

test('a second signal exits immediately', async () => {
  const project = createProject({ ...agentFile('lead'), 'p.yaml': { lanes: { lead: [hangs] } } })
  const running = project.start(run)
  await running.until((_, stderr) => stderr.includes('lead: started'))
  running.child.kill('SIGINT')
  running.child.kill('SIGTERM')
  expect((await running.ended()).code).toBe(130)
})

test('a session of a run can be cancelled from another process, and the lead continues', async () => {
  const project = createTeam()
  const { running, lead, slow } = await hangingRun(project)
  const cancel = await project.cadre(['sessions', 'cancel', slow])
  expect(cancel.stdout).toContain(`Cancelling session ${slow}.`)
  expect(cancel.code).toBe(0)
  const { code, json } = await running.ended()
  expect(json().at(-1)).toMatchObject({ session: lead, status: 'completed', text: 'All is done.' })
  expect(code).toBe(0)
  expect(header(project, slow)).toEqual({ status: 'error', outcome: 'cancelled' })
  expect(header(project, lead)).toEqual({ status: 'completed', outcome: 'completed' })
})

test('cancelling the first session of a run from another process stops the run', async () => {
  const project = createTeam()
  const { running, lead } = await hangingRun(project)
  const cancel = await project.cadre(['sessions', 'cancel', lead, '--json'])
  expect(cancel.json()).toMatchObject([{ type: 'cancel', session: lead, cancelled: true }])
  const { code, json } = await running.ended()
  expect(json().at(-1)).toMatchObject({ session: lead, status: 'cancelled' })
  expect(code).toBe(130)
  const again = await project.cadre(['sessions', 'cancel', lead])
  expect(again.stdout).toContain('is not running: it has already ended (cancelled)')
  expect(again.code).toBe(0)
})

test('a session whose process died is not running, and a cancellation is not kept for the next one', async () => {
  const project = createTeam()
  const { running, lead } = await hangingRun(project)
  running.child.kill('SIGKILL')
  await running.ended()
  const cancel = await project.cadre(['sessions', 'cancel', lead])
  expect(cancel.stdout).toContain(`Resume it with "cadre resume ${lead}"`)
  expect(project.listing().filter((line) => line.includes('.cancel'))).toEqual([])
})

test('a session that another process is running is rejected, with the process id', async () => {
  const project = createTeam()
  const { running, lead } = await hangingRun(project)
  const second = await project.cadre(['resume', lead])
  expect(second.stderr).toContain(String(running.pid))
  expect(second.code).toBe(6)
  const asJson = await project.cadre(['resume', lead, '--json'])
  expect(asJson.json().at(-1)).toMatchObject({ type: 'error', code: 'owned' })
  kill(running.pid, 'SIGINT')
  expect((await running.ended()).code).toBe(130)
})

test('of two processes that resume one session, exactly one succeeds', async () => {
  const project = createTeam()
  const { running, lead } = await hangingRun(project)
  running.child.kill('SIGKILL')
  await running.ended()
  const both = [project.start(['resume', lead]), project.start(['resume', lead])]
  const first = await Promise.race(both.map(async (one, index) => ({ index, end: await one.ended() })))
  expect(first.end.stderr).toContain('is already running in process')
  expect(first.end.code).toBe(6)
  const other = both[1 - first.index]!
  await other.until((_, stderr) => stderr.includes('slow: resumed'))
  other.child.kill('SIGINT')
  expect((await other.ended()).code).toBe(130)
})
