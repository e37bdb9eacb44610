import {
  defineTool,
  object,
  type PreparedIsolation,
  type SessionSpec,
  type SettledWorkspace,
  type Tool,
  type WorkspaceRequest,
  type Workspaces,
} from '@cadre/core'
import { call, createFakeClock, createMemoryEngine, createTestTeam, say, type TestTeam } from '@cadre/testing'
import { describe, expect, test } from 'vitest'
import { countingTools } from './tools.ts'

const work = (agentName: string) =>
  ['delegateWork', { agentName, workDescription: 'work', reportExpectations: 'a report' }] as const
const done = (text: string) => call(['reportOut', { report: text }])

/** Gives every session a folder, or none. */
function folders(answer: (request: WorkspaceRequest) => PreparedIsolation, settled?: SettledWorkspace) {
  const asked: WorkspaceRequest[] = []
  const ended: string[] = []
  const workspaces: Workspaces = {
    async prepare(request) {
      asked.push(request)
      return answer(request)
    },
    async settle({ id }, status) {
      ended.push(`${id} ${status}`)
      return settled
    },
  }
  return { workspaces, asked, ended }
}
const own = ({ session }: WorkspaceRequest): PreparedIsolation => ({ kind: 'ready', path: `/own/${session}` })
const none = (): PreparedIsolation => ({ kind: 'impossible', reason: 'there is no git' })

const lead = { name: 'lead', delegates: { kind: 'all' } } as const
const reader = { name: 'reader', tools: { kind: 'list', names: ['look'] } } as const

describe('a separate workspace', () => {
  test('is given to agents that require one, and shared by those below them', async () => {
    const { workspaces, asked, ended } = folders(own, { message: 'on a branch' })
    const { tools } = countingTools()
    const team = createTestTeam({
      agents: [{ ...lead, isolation: 'workspace' }, { name: 'writer' }],
      tools,
      workspaces,
      lanes: { lead: [call(work('writer')), say('all done')], writer: [done('written')] },
    })
    const report = await team.report({ agent: 'lead', workspace: '/project' })
    expect(asked).toEqual([
      { session: report.session, root: report.session, agent: 'lead', base: '/project' },
    ])
    expect(ended).toEqual([`${report.session} completed`])
    expect(report.notices).toEqual([{ code: 'workspace', message: 'on a branch' }])
    const specs = await specsOf(team)
    expect(specs.map(({ workspace }) => workspace)).toEqual(Array(2).fill(`/own/${report.session}`))
    expect(specs.map(({ isolation }) => isolation)).toEqual(
      Array(2).fill({ kind: 'own', session: report.session, base: '/project' }),
    )
  })

  test('is given to concurrent writers, and their changes are merged back', async () => {
    const { workspaces, asked } = folders(own)
    const { tools } = countingTools()
    const team = createTestTeam({
      agents: [lead, { name: 'one' }, { name: 'two' }, { name: 'three', isolation: 'shared' }, reader],
      tools,
      workspaces,
      lanes: {
        lead: [
          call(work('one'), work('two'), work('three'), work('reader')),
          call(work('one'), work('reader')),
          call(['delegate_task', { subagent_type: 'two', prompt: 'later' }]),
          say('waiting'),
          say('all done'),
        ],
        one: [done('1'), done('1')],
        two: [done('2'), say('2')],
        three: [done('3')],
        reader: [done('r'), done('r')],
      },
    })
    await team.report({ agent: 'lead', workspace: '/project' })
    expect(asked.map(({ agent }) => agent)).toEqual(['one', 'two', 'two'])
    const placed = (await specsOf(team)).map(({ agent, workspace, isolation }) => [
      agent.name,
      workspace,
      isolation,
    ])
    const apart = asked.map(({ session }) => ({ kind: 'own', session, base: '/project', returns: true }))
    expect(placed).toEqual([
      ['lead', '/project', undefined],
      ['one', `/own/${asked[0]?.session}`, apart[0]],
      ['two', `/own/${asked[1]?.session}`, apart[1]],
      ['three', '/project', undefined],
      ['reader', '/project', undefined],
      ['one', '/project', undefined],
      ['reader', '/project', undefined],
      ['two', `/own/${asked[2]?.session}`, apart[2]],
    ])
  })

  test('is given to an entry session that works next to others, if it can change anything', async () => {
    const { workspaces, asked } = folders(own)
    const { tools } = countingTools()
    const task = defineTool({
      name: 'create_task',
      description: 'Writes a task down',
      class: 'task',
      effect: 'write',
      input: object({}),
      run: async () => ({ content: 'done' }),
    })
    const team = createTestTeam({
      agents: [
        { name: 'writer' },
        reader,
        { name: 'planner', tools: { kind: 'list', names: ['create_task'] } },
      ],
      tools: [...tools, task as Tool],
      workspaces,
      lanes: { writer: [say('written')], reader: [say('read')], planner: [say('planned')] },
    })
    for (const agent of ['writer', 'reader', 'planner'])
      await team.report({ agent, workspace: '/project', parallel: true, from: ['before-1'] })
    await team.report({ agent: 'writer', workspace: '/project', parallel: false })
    expect(asked.map(({ agent, from }) => [agent, from])).toEqual([['writer', ['before-1']]])
  })

  test('the caller’s result of a report includes where the changes are', async () => {
    const { workspaces } = folders(own, { message: 'They are on the branch x.' })
    const { tools } = countingTools()
    const team = createTestTeam({
      agents: [lead, { name: 'writer', isolation: 'workspace' }],
      tools,
      workspaces,
      lanes: { lead: [call(work('writer')), say('done')], writer: [done('written')] },
    })
    await team.report({ agent: 'lead', workspace: '/project' })
    expect(team.models.requests.at(-1)?.messages.at(-1)).toMatchObject({
      content: expect.stringContaining('(They are on the branch x.)'),
    })
  })

  test('leaves the work incomplete if its changes could not be merged', async () => {
    const { workspaces } = folders(own, { message: 'They did not fit.', isMissing: true })
    const { tools } = countingTools()
    const team = createTestTeam({
      agents: [{ name: 'writer' }],
      tools,
      workspaces,
      lanes: { writer: [say('written')] },
    })
    const report = await team.report({ agent: 'writer', workspace: '/project', parallel: true })
    expect(report).toMatchObject({
      status: 'incomplete',
      text: 'written',
      notices: [{ code: 'workspace', message: 'They did not fit.' }],
    })
  })

  test('that cannot be created is reported, and every change needs approval, including below', async () => {
    const { workspaces } = folders(none)
    const effects = countingTools()
    const clock = createFakeClock()
    const lanes = {
      lead: [call(['look', { path: 'a' }]), call(work('writer')), say('done')],
      writer: [
        call(['note', { text: 'a' }]),
        call(['launch', { what: 'b' }], ['note', { text: 'c' }]),
        done('w'),
      ],
    }
    const engine = createMemoryEngine({ clock })
    const team = createTestTeam({
      agents: [{ ...lead, isolation: 'workspace' }, { name: 'writer' }],
      tools: effects.tools,
      workspaces,
      engine,
      clock,
      lanes,
    })
    const first = await team.run({ agent: 'lead', workspace: '/project' })
    expect(first).toMatchObject({ kind: 'waiting' })
    expect(effects.done).toEqual([])
    expect(team.events.flatMap((event) => (event.type === 'notice.added' ? [event.notice] : []))).toEqual([
      {
        code: 'isolation',
        message: expect.stringContaining('could not get its own workspace: there is no git. Every change'),
      },
    ])
    expect(team.events.filter(({ type }) => type === 'call.judged')).toContainEqual(
      expect.objectContaining({ agent: 'writer', tool: 'note', decision: 'ask', rule: 'isolation' }),
    )
    expect((await specsOf(team)).map(({ workspace, isolation }) => [workspace, isolation?.kind])).toEqual([
      ['/project', 'missing'],
      ['/project', 'missing'],
    ])
    // One answer for the whole session is enough.
    for (const { session, name } of first.kind === 'waiting' ? first.questions : [])
      engine.answer(session, name, { decision: 'approve-session', by: 'ada' })
    const report = await team.orchestrator.resume('lead-1', {}, new AbortController().signal)
    expect(report).toMatchObject({ kind: 'report', report: { status: 'completed' } })
    expect(effects.done).toEqual(['note a', 'launch b', 'note c'])
  })

  test('does not exist without a provider, whatever agents require', async () => {
    const effects = countingTools()
    const team = createTestTeam({
      agents: [{ ...lead, isolation: 'workspace' }],
      tools: effects.tools,
      lanes: { lead: [call(['note', { text: 'a' }]), say('done')] },
    })
    const report = await team.report({ agent: 'lead', workspace: '/project' })
    expect(report.notices).toBeUndefined()
    expect(effects.done).toEqual(['note a'])
    expect(await specsOf(team)).toMatchObject([{ workspace: '/project' }])
  })

  test('is not created for a session that cannot start', async () => {
    const { workspaces, asked } = folders(own)
    const team = createTestTeam({
      agents: [{ ...lead, isolation: 'workspace' }],
      workspaces,
      lanes: {},
    })
    await expect(team.run({ agent: 'lead', model: 'unheard-of' })).rejects.toThrow('unheard-of')
    expect(asked).toEqual([])
  })
})

/** In the order of their decisions. */
async function specsOf({ events, engine }: TestTeam): Promise<SessionSpec[]> {
  const ids = events.flatMap((event) => (event.type === 'session.started' ? [event.session] : []))
  const stored = await Promise.all([...new Set(ids)].map((id) => engine.read(id)))
  const number = ({ id }: SessionSpec) => Number(id.split('-').at(-1))
  return stored.flatMap((session) => session?.spec ?? []).sort((a, b) => number(a) - number(b))
}
