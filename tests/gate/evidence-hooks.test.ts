import type { Entry, LifecycleHandler } from '@cadre/core'
import {
  createEvidence,
  createHooks,
  createPathResolver,
  findHooks,
  ownArtifact,
  readShippedHooks,
} from '@cadre/gate'
import { call, createTestTeam, type Line, say } from '@cadre/testing'
import { createTools } from '@cadre/tools'
import { expect, test } from 'vitest'
import { createWorkspace } from './support/boundary-team.ts'

const places = createPathResolver()
const own = '.github/hooks/artifacts/researcher.md'
const sections = ['Sources Examined', 'Key Findings', 'Recommended Next Agent']
const report = (names: readonly string[]) => names.map((name) => `## ${name}\nsomething\n`).join('\n')
const full = report(sections)
const write = (path: string, content: string) => ['write_file', { path, content }] as const

/** A run in which only the hooks enforce roles: no boundary, no required sections. */
async function run(researcher: readonly Line[], project = createWorkspace({ 'src/a.js': 'a' })) {
  for (const { path, text } of readShippedHooks()) project.write(path, text)
  const set = findHooks({ project: project.path, userHome: project.at('nobody'), trusted: () => true })
  expect(set.diagnostics).toEqual([])
  expect(set.hooks.map(({ event, idle }) => [event, idle])).toEqual([
    ['SessionStart', undefined],
    ['PreToolUse', undefined],
    ['SubagentStop', undefined],
  ])
  const told: string[] = []
  const hooks = createHooks({
    hooks: () => set,
    project: project.path,
    userHome: project.at('nobody'),
    environment: (extra) => ({ PATH: process.env['PATH'], ...extra }),
    tell: (message) => told.push(message),
  })
  const evidence = createEvidence({ places })
  const onLifecycleEvent: LifecycleHandler = async (moment, session, signal) => {
    await evidence.onLifecycleEvent(moment, session, signal)
    return hooks.onLifecycleEvent(moment, session, signal)
  }
  const team = createTestTeam({
    agents: [{ name: 'supervisor', delegates: { kind: 'all' } }, { name: 'researcher' }],
    tools: createTools({ places, own: ownArtifact }),
    rules: [hooks.rule],
    reviewers: [hooks.reviewer],
    onLifecycleEvent,
    lanes: {
      supervisor: [
        call([
          'delegate_task',
          { description: 'd', prompt: 'p', subagent_type: 'researcher', wait_for_result: true },
        ]),
        say('ok'),
      ],
      researcher,
    },
  })
  await team.report({ agent: 'supervisor', workspace: project.path })
  expect(told).toEqual([])
  const session = team.events.find(
    (event) => event.type === 'session.started' && event.agent === 'researcher',
  )?.session
  const entries: readonly Entry[] = (await team.engine.read(session ?? ''))?.entries ?? []
  return {
    project,
    results: entries.flatMap((entry) => (entry.role === 'tool_result' ? [entry] : [])),
    said: team.events.flatMap((event) =>
      event.type === 'message.added' && event.session === session ? [event.text] : [],
    ),
    log: project
      .read('.github/hooks/logs/subagent-quality.jsonl')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>),
  }
}

test('the shipped hooks, run by Cadre, limit a worker to its artifact and accept it as evidence', async () => {
  const { project, results, said, log } = await run([
    call(write('src/a.js', `see ${own}`), write(own, report(sections.slice(0, 2)))),
    say('Done.'),
    call(write(own, full)),
    say('Done.'),
  ])
  expect(results[0]).toMatchObject({
    outcome: 'refused',
    code: 'hook',
    content: expect.stringContaining(`researcher may only write its artifact ${own}, not `),
  })
  expect(results[1]?.outcome).toBeUndefined()
  expect(project.read('src/a.js')).toBe('a')
  expect(said).toEqual([expect.stringContaining('lacks these sections: Recommended Next Agent.')])
  expect(project.read(own)).toBe(full)
  expect(log.map(({ status, evidenceSource }) => [status, evidenceSource])).toEqual([
    ['warn', 'artifact+payload'],
    ['pass', 'artifact+payload'],
  ])
})

test('an artifact of an earlier run is no evidence for the hooks either', async () => {
  const project = createWorkspace({ [own]: full })
  const { said } = await run([say('Done.'), say(full)], project)
  expect(said).toEqual([expect.stringMatching(/lacks these sections: Sources Examined, Key Findings/)])
})
