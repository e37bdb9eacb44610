import { execFileSync } from 'node:child_process'
import { freePort } from '@cadre/testing'
import { expect, onTestFinished, test } from 'vitest'
import {
  messageEvent,
  slackEnvironment,
  slackSettings,
  startSlack,
} from '../../packages/channels/src/slack/slack-double.spec-helpers.ts'
import type { RunningCadre } from '../cli/support/cadre.ts'
import { until } from '../cli/support/until.ts'
import { openScenario } from '../daemon/scenario.ts'
import { startBalancer } from './kill/balancer.ts'
import { openEngineProject } from './support/engine-project.ts'

/** The trees that a worker runs, by its own lines. */
function treesOf(worker: RunningCadre): Set<string> {
  const trees = new Set<string>()
  for (const line of worker.stdout().split('\n')) {
    const { type, session } = (line === '' ? {} : JSON.parse(line)) as { type?: string; session?: string }
    if (type === 'tree.started') trees.add(session as string)
    if (type === 'tree.stopped') trees.delete(session as string)
  }
  return trees
}

/**
 * The first reply and the command take a while, so that a worker can be killed meanwhile. The answer goes to the channel by its id, because
 * Slack cannot be searched by the name of a channel.
 */
function slower(text: string): string {
  const playbook = JSON.parse(text.replaceAll('#ops', 'C1')) as {
    lanes: Record<string, { wait?: number; calls?: { input: { command?: string } }[] }[]>
  }
  const [plan] = playbook.lanes['planner-001'] ?? []
  const call = playbook.lanes['executor-001']?.[0]?.calls?.[0]
  if (plan === undefined || call?.input.command === undefined) throw new Error('the playbook has changed')
  plan.wait = 2_000
  call.input.command = call.input.command.replace(/console\.log\(.*?\)/, 'setTimeout(() => {}, 60000)')
  return JSON.stringify(playbook)
}

test('a Slack message is answered once, although each of three workers is killed at its work', async () => {
  const slack = await startSlack()
  onTestFinished(() => slack[Symbol.asyncDispose]())
  const scenario = await openScenario({ up: ['--engine', 'restate'], env: slackEnvironment })
  const { project } = scenario
  project.write('playbook.yaml', slower(project.read('playbook.yaml')))
  const config = '.cadre/config.yaml'
  const channels = `channels: ${JSON.stringify({ slack: slackSettings(slack) })}\n`
  project.write(config, `${project.exists(config) ? project.read(config) : ''}\n${channels}`)
  const { startWorker } = await openEngineProject(project)

  // Three workers of one place share an address.
  const address = await freePort()
  const ports = await Promise.all([freePort(), freePort(), freePort()])
  const balancer = await startBalancer(address, ports)
  onTestFinished(() => void balancer.close())
  const start = (port: number) =>
    startWorker({ port, env: slackEnvironment, args: ['--url', `http://127.0.0.1:${address}`] })
  let workers = await Promise.all(ports.map(start))
  const killed: string[] = []
  const kill = (victim: RunningCadre | undefined, agent: string): boolean => {
    if (victim === undefined) return false
    victim.child.kill('SIGKILL')
    workers = workers.filter((worker) => worker !== victim)
    killed.push(agent)
    return true
  }
  const workerOf = (agent: string) =>
    workers.find((worker) => [...treesOf(worker)].some((tree) => tree.startsWith(agent)))
  await scenario.up()
  onTestFinished(() => scenario.down())

  // The first one dies while it plans, the second one during the command, and the third one while Slack receives the answer.
  const post = slack.messages.push.bind(slack.messages)
  slack.messages.push = (...messages) => {
    // Slack has the message, and the worker never learns it.
    if (killed.length === 2) kill(workers[0], 'planner-001')
    return post(...messages)
  }
  await until(() => slack.connections() > 0)
  const event = messageEvent('1.1', { text: 'Is Redis running?' })
  slack.send({ envelope_id: 'e1', type: 'events_api', payload: event })
  await until(() => kill(workerOf('planner-001'), 'planner-001'))
  while (!scenario.isOver()) {
    await scenario.decide()
    if (killed.length === 1 && project.exists('runs.txt')) kill(workerOf('executor-001'), 'executor-001')
    if (killed.length === 3 && workers.length === 0) workers = await Promise.all(ports.map(start))
  }

  expect(killed).toEqual(['planner-001', 'executor-001', 'planner-001'])
  expect(slack.messages.map(({ channel, text }) => ({ channel, text }))).toEqual([
    { channel: 'C1', text: 'It is running.' },
  ])
  expect(scenario.outcome()).toMatchObject({ runs: 1, sent: 1 })
  // The tasks, the approvals and every session are in the history of the home.
  await until(() => {
    const files = execFileSync('git', ['-C', project.at('.cadre'), 'ls-files'], { encoding: 'utf8' })
    return project.sessions().every((id) => files.includes(`sessions/${id}.session.yaml`))
  })
})
