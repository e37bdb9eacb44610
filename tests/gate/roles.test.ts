import { symlinkSync } from 'node:fs'
import type { AgentDefinition, Boundary, Entry, Rule } from '@cadre/core'
import { artifactOf, createPathResolver, createRoleRule } from '@cadre/gate'
import { call, createTestTeam, type Line, say, type TestTeam } from '@cadre/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { worlds } from '../engine/worlds.ts'
import { boundaryTools, createWorkspace } from './support/boundary-team.ts'

const places = createPathResolver()
const rule = createRoleRule({ places })
const own = '.github/hooks/artifacts/researcher.md'
const results = (entries: readonly Entry[] = []) =>
  entries.flatMap((entry) => (entry.role === 'tool_result' ? [entry] : []))

const sessionOf = ({ events }: TestTeam, agent: string) =>
  events.find((event) => event.type === 'session.started' && event.agent === agent)?.session ?? ''

async function outcomeOf(boundary: Boundary, tool: string, input: unknown, workspace: string) {
  const team = createTestTeam({
    agents: [{ name: 'researcher', boundary }],
    tools: boundaryTools,
    rules: [rule],
    lanes: { researcher: [call([tool, input]), say('ok')] },
  })
  const result = await team.run({ agent: 'researcher', workspace })
  if (result.kind === 'waiting') return 'waits'
  const [entry] = results((await team.engine.read(result.report.session))?.entries)
  if (entry?.outcome === 'failed') throw new Error(entry.content)
  if (entry?.outcome === 'refused') expect(entry.code).toBe('role')
  return entry?.outcome ?? 'done'
}

const patch = (...files: string[]) => ['*** Begin Patch', ...files, '*** End Patch'].join('\n')
const edit = (path: string, content = 'b') => ['edit_file', { path, old: 'a', new: content }] as const

describe('an agent that may write only its artifact', () => {
  const boundary = { writes: 'artifact', commands: 'copy' } as const

  test.each([
    ['done', 'write_file', { path: own, content: 'x' }],
    ['done', 'create_file', { filePath: `./${own}`, content: 'x' }],
    ['done', 'write_file', { path: '.github/hooks/../hooks/artifacts/./researcher.md', content: 'x' }],
    ['done', ...edit(own)],
    ['done', 'MultiEdit', { file_path: own, edits: [{ old_string: 'a', new_string: 'b' }] }],
    ['done', 'apply_patch', { input: patch(`*** Update File: ${own}`, '@@', '-a', '+b') }],
    ['done', 'save_many', { paths: [own, `./${own}`] }],
    ['done', 'read_file', { path: 'src/a.js' }],
    ['refused', 'write_file', { path: 'src/a.js', content: 'x' }],
    ['refused', ...edit('src/a.js')],
    // The path of the artifact in written text, or as part of a name, is not the artifact.
    ['refused', ...edit('src/a.js', own)],
    ['refused', 'write_file', { path: 'src/a.js', content: `see ${own}` }],
    ['refused', 'write_file', { path: `src/${own}`, content: 'x' }],
    ['refused', 'write_file', { path: `${own}.bak`, content: 'x' }],
    ['refused', 'write_file', { path: '.github/hooks/artifacts/architect.md', content: 'x' }],
    ['refused', 'write_file', { path: '.github/hooks/artifacts/RESEARCHER.md', content: 'x' }],
    ['refused', 'write_file', { path: '.github/hooks/copilot-hooks.json', content: 'x' }],
    ['refused', 'write_file', { path: `../${own}`, content: 'x' }],
    ['refused', 'create_directory', { path: '.github/hooks/artifacts' }],
    // Every file of a call counts.
    [
      'refused',
      'MultiEdit',
      {
        edits: [
          { path: own, old: 'a', new: 'b' },
          { path: 'src/a.js', old: 'a', new: 'b' },
        ],
      },
    ],
    [
      'refused',
      'apply_patch',
      {
        input: patch(
          `*** Update File: ${own}`,
          '@@',
          '-a',
          '+b',
          '*** Update File: src/a.js',
          '@@',
          '-a',
          '+b',
        ),
      },
    ],
    [
      'refused',
      'apply_patch',
      { input: patch(`*** Update File: ${own}`, '*** Move to: src/a.js', '@@', '-a', '+b') },
    ],
    [
      'refused',
      'apply_patch',
      { input: patch('*** Update File: src/a.js', `*** Move to: ${own}`, '@@', '-a', '+b') },
    ],
    ['refused', 'apply_patch', { input: patch('*** Delete File: src/a.js') }],
    ['refused', 'save_many', { paths: [own, 'src/a.js'] }],
    ['refused', 'save_many', { paths: [] }],
    // By its class or its effect, never by its name.
    ['refused', 'scribble', { text: own }],
    ['refused', 'view', {}],
    // Commands may run on a copy; a tool that does not support copies is refused.
    ['done', 'execute_command', { path: 'x' }],
    ['refused', 'deploy', { path: own }],
  ])('%s: %s %j', async (expected, tool, input) => {
    const workspace = createWorkspace({ [own]: 'a', 'src/a.js': 'a' })
    expect(await outcomeOf(boundary, tool, input, workspace.path)).toBe(expected)
  })

  test('is not redirected by a link', async () => {
    const target = createWorkspace({ 'src/a.js': 'a', '.github/hooks/artifacts/x.md': '' })
    symlinkSync(target.at('src/a.js'), target.at(own))
    expect(await outcomeOf(boundary, 'save', { path: own, content: 'x' }, target.path)).toBe('refused')
    expect(await outcomeOf(boundary, 'save', { path: 'src/a.js', content: 'x' }, target.path)).toBe('refused')
    expect(target.read('src/a.js')).toBe('a')

    const folder = createWorkspace({ 'src/researcher.md': 'a', '.github/hooks/x.json': '' })
    symlinkSync(folder.at('src'), folder.at('.github/hooks/artifacts'))
    expect(await outcomeOf(boundary, 'save', { path: own, content: 'x' }, folder.path)).toBe('refused')
    expect(folder.read('src/researcher.md')).toBe('a')

    // A symlink to the artifact counts as the artifact.
    const shortcut = createWorkspace({ [own]: 'a' })
    symlinkSync(shortcut.at(own), shortcut.at('mine.md'))
    expect(await outcomeOf(boundary, 'save', { path: 'mine.md', content: 'x' }, shortcut.path)).toBe('done')
    // So is the workspace through a link.
    const outer = createWorkspace()
    symlinkSync(shortcut.path, outer.at('link'))
    expect(await outcomeOf(boundary, 'save', { path: own, content: 'y' }, outer.at('link'))).toBe('done')
    expect(shortcut.read(own)).toBe('y')
  })
})

test.each([
  [{ writes: 'none', commands: 'none' }, 'write_file', { path: own, content: 'x' }, 'refused'],
  [{ writes: 'none', commands: 'none' }, 'execute_command', { path: 'x' }, 'refused'],
  [{ writes: 'none', commands: 'none' }, 'get_errors', {}, 'refused'],
  [{ writes: 'none', commands: 'none' }, 'list_directory', { path: '.' }, 'done'],
  [{ writes: 'artifact', commands: 'none' }, 'execute_command', { path: 'x' }, 'refused'],
  [{ commands: 'none' }, 'write_file', { path: 'src/a.js', content: 'x' }, 'done'],
  [{ commands: 'none' }, 'deploy', { path: 'x' }, 'refused'],
  // Commands change files; without a copy they cannot run.
  [{ writes: 'none' }, 'execute_command', { path: 'x' }, 'refused'],
  // An invalid value in a damaged definition grants nothing.
  [{ writes: 'all' }, 'write_file', { path: own, content: 'x' }, 'refused'],
  [{ commands: 'free' }, 'execute_command', { path: 'x' }, 'refused'],
  [{}, 'execute_command', { path: 'x' }, 'done'],
])('%j: %s %j is %s', async (boundary, tool, input, expected) => {
  const workspace = createWorkspace({ 'src/a.js': 'a' })
  expect(await outcomeOf(boundary as Boundary, tool, input, workspace.path)).toBe(expected)
})

test.each([
  ['researcher', 'researcher'],
  ['Vision Operator', 'vision-operator'],
  ['../../x', '%2e.%2f..%2fx'],
  ['a/b', 'a%2fb'],
  ['CON', '%con'],
  ['Prüfer', 'prüfer'],
  ['a\\b:c', 'a%5cb%3ac'],
])('the artifact of %s is a file in the folder of artifacts', (name, file) => {
  expect(artifactOf({ name })).toBe(`.github/hooks/artifacts/${file}.md`)
})

const bounded = (name: string, more: Partial<AgentDefinition> = {}) => ({
  name,
  boundary: { writes: 'artifact', commands: 'none' } as const,
  delegates: { kind: 'all' } as const,
  ...more,
})
const delegateTo = (...names: string[]) =>
  call(
    ...names.map(
      (name) =>
        [
          'delegate_task',
          { description: 'd', prompt: 'p', subagent_type: name, wait_for_result: true },
        ] as const,
    ),
  )
const tries = (name: string): Line =>
  call(
    ['save', { path: `${name}.txt`, content: 'mine' }],
    ['deploy', { path: 'x' }],
    ['save', { path: `.github/hooks/artifacts/${name}.md`, content: 'mine' }],
  )

describe.each(worlds)('on $name', ({ create }) => {
  test('the boundary applies at every depth, in parallel, and the journal names it', async () => {
    const world = create()
    onTestFinished(() => world.dispose())
    const workspace = createWorkspace()
    const names = ['root', 'one', 'two', 'three', 'three-b']
    const team = createTestTeam({
      agents: names.map((name) => bounded(name)),
      tools: boundaryTools,
      rules: [rule],
      engine: await world.open(),
      clock: world.clock,
      lanes: {
        root: [tries('root'), delegateTo('one'), say('ok')],
        one: [tries('one'), delegateTo('two'), say('ok')],
        two: [tries('two'), delegateTo('three', 'three-b', 'three'), say('ok')],
        three: [tries('three'), say('ok')],
        'three-b': [tries('three-b'), say('ok')],
      },
    })
    await team.report({ agent: 'root', workspace: workspace.path })
    const sessions = team.events.flatMap((event) => (event.type === 'session.started' ? [event.session] : []))
    expect(sessions).toHaveLength(6)
    for (const session of sessions) {
      const record = await team.engine.read(session)
      const name = record?.spec.agent.name ?? ''
      const [file, command, artifact] = results(record?.entries)
      expect(file).toMatchObject({
        outcome: 'refused',
        code: 'role',
        content: expect.stringContaining(`.github/hooks/artifacts/${name}.md, not ${name}.txt`),
      })
      expect(command).toMatchObject({ outcome: 'refused', code: 'role' })
      expect(artifact?.outcome).toBeUndefined()
      expect(workspace.read(`.github/hooks/artifacts/${name}.md`)).toBe('mine')
    }
    const denied = team.events.flatMap((event) =>
      event.type === 'call.judged' && event.decision === 'deny' ? [`${event.by} ${event.rule}`] : [],
    )
    expect(denied.toSorted()).toEqual([
      ...Array.from({ length: 6 }, () => 'role boundary.commands'),
      ...Array.from({ length: 6 }, () => 'role boundary.writes'),
    ])
    expect(() => workspace.read('three.txt')).toThrow('ENOENT')
  })

  test('it applies in the background, and after a nudge for an empty reply', async () => {
    const world = create()
    onTestFinished(() => world.dispose())
    const workspace = createWorkspace()
    const team = createTestTeam({
      agents: [{ name: 'lead', delegates: { kind: 'all' } }, bounded('researcher', { background: true })],
      tools: boundaryTools,
      rules: [rule],
      engine: await world.open(),
      clock: world.clock,
      lanes: {
        lead: [
          call(['delegate_task', { description: 'd', prompt: 'p', subagent_type: 'researcher' }]),
          say('started'),
          say('done'),
        ],
        researcher: [say(''), tries('researcher'), say('ok')],
      },
    })
    await team.report({ agent: 'lead', workspace: workspace.path })
    const [file, command] = results((await team.engine.read(sessionOf(team, 'researcher')))?.entries)
    expect(file).toMatchObject({ outcome: 'refused', code: 'role' })
    expect(command).toMatchObject({ outcome: 'refused', code: 'role' })
  })

  test('a resumed child keeps its original boundary, even if its file has changed', async () => {
    const world = create()
    onTestFinished(() => world.dispose())
    const workspace = createWorkspace()
    const asks: Rule<string> = {
      by: 'policy',
      name: 'careful',
      immediate: true,
      judge: ({ tool }) =>
        tool.effect === 'write' ? { kind: 'ask', by: 'policy', rule: 'careful', reason: 'look' } : undefined,
    }
    const open = async (child: Partial<AgentDefinition>) =>
      createTestTeam({
        agents: [{ name: 'lead', delegates: { kind: 'all' } }, bounded('researcher', child)],
        tools: boundaryTools,
        rules: [rule, asks],
        engine: await world.open(),
        clock: world.clock,
        lanes: {
          lead: [delegateTo('researcher'), say('ok')],
          researcher: [call(['save', { path: own, content: 'x' }]), tries('researcher'), say('ok')],
        },
      })
    const first = await open({})
    expect((await first.run({ agent: 'lead', workspace: workspace.path })).kind).toBe('waiting')
    await world.answer(
      { session: 'researcher-2', name: 'approval/call_1_0' },
      { decision: 'approve', by: 'ada' },
    )
    await world.close()
    const second = await open({ boundary: {} })
    expect((await second.orchestrator.resume('lead-1', {}, new AbortController().signal)).kind).toBe(
      'waiting',
    )
    expect(workspace.read(own)).toBe('x')
    const denied = second.events.flatMap((event) =>
      event.type === 'call.judged' && event.decision === 'deny' ? [`${event.by} ${event.rule}`] : [],
    )
    expect(denied).toEqual(['role boundary.writes', 'role boundary.commands'])
    const spec = (await second.engine.read(sessionOf(first, 'researcher')))?.spec
    expect(spec?.agent.boundary).toEqual({ writes: 'artifact', commands: 'none' })
  })
})
