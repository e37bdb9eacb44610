import { describe, expect, it } from 'vitest'
import { changeAgent, emptyAgent } from './edit.ts'
import { type Action, configurationOf, initialView, type PageView, reduceView } from './page-view.ts'
import type { Configuration, PageState } from './protocol.ts'

const team = (...names: string[]): Configuration => ({
  entryAgent: names[0] ?? '',
  agents: names.map((name) => ({ ...emptyAgent(name), description: name })),
})
const builtIn = { agents: team('coordinator', 'code-reviewer').agents, entry: 'coordinator' }
const state = (user: Configuration | undefined, stamp = '1'): PageState => ({
  levels: [
    { level: 'user', label: 'User', stamp, isOld: false, problems: [], ...(user && { configuration: user }) },
    { level: 'workspace', label: 'Workspace', stamp: 'w', isOld: false, problems: [] },
  ],
  ...(user && { used: 'user' }),
  tools: [],
  models: [],
  files: [],
  builtIn: { ...builtIn, isUsed: false },
  templates: [],
  limits: { agents: 20, name: 50, prompt: 30_000, text: 200 },
  isTrusted: true,
})
const after = (view: PageView, ...actions: Action[]) => actions.reduce(reduceView, view)
const opened = (user: Configuration | undefined) =>
  after(initialView(undefined), { type: 'received', message: { type: 'state', state: state(user) } })
const changed = (view: PageView): PageView =>
  after(view, {
    type: 'edited',
    configuration: changeAgent(configurationOf(view), 0, { description: 'mine' }),
  })

describe('the page', () => {
  it('shows the level in use, or the workspace', () => {
    expect(opened(team('a')).level).toBe('user')
    expect(opened(undefined).level).toBe('workspace')
  })

  it('has nothing to save after an edit was reverted', () => {
    const view = changed(opened(team('a')))
    expect(view.draft?.stamp).toBe('1')
    expect(after(view, { type: 'edited', configuration: team('a') }).draft).toBeUndefined()
  })

  it('keeps edits when the settings change outside, and shows the conflict', () => {
    const view = after(changed(opened(team('a'))), {
      type: 'received',
      message: { type: 'state', state: state(team('a', 'b'), '2') },
    })
    expect(view.hasConflict).toBe(true)
    expect(configurationOf(view).agents).toMatchObject([{ description: 'mine' }])
    expect(after(view, { type: 'rebased' })).toMatchObject({ hasConflict: false, draft: { stamp: '2' } })
    expect(configurationOf(after(view, { type: 'discarded' })).agents).toHaveLength(2)
  })

  it('shows outside changes immediately if nothing was edited', () => {
    const view = after(opened(team('a')), {
      type: 'received',
      message: { type: 'state', state: state(team('a', 'b'), '2') },
    })
    expect(view.hasConflict).toBe(false)
    expect(configurationOf(view).agents).toHaveLength(2)
  })

  it('restores its edits after it was hidden or closed', () => {
    const { draft } = changed(opened(team('a')))
    const hidden = after(initialView({ draft: draft!, selected: 0 }), {
      type: 'received',
      message: { type: 'state', state: state(team('a')) },
    })
    const closed = after(initialView(undefined), {
      type: 'received',
      message: { type: 'state', state: state(team('a')), draft: draft! },
    })
    for (const view of [hidden, closed])
      expect(configurationOf(view).agents).toMatchObject([{ description: 'mine' }])
  })

  it('adds agents from elsewhere to the edits, and selects the first of them', () => {
    const view = after(changed(opened(team('a'))), {
      type: 'received',
      message: { type: 'agents', agents: team('a', 'b').agents, from: 'a file' },
    })
    expect(configurationOf(view).agents.map(({ name }) => name)).toEqual(['a', 'a-2', 'b'])
    expect(view).toMatchObject({
      selected: 1,
      message: { text: '2 agents were added from a file. Save to use them.' },
    })
  })

  it('has nothing to save once it is saved', () => {
    const view = after(
      changed(opened(team('a'))),
      { type: 'saving' },
      { type: 'received', message: { type: 'saved', state: state(team('a'), '2') } },
    )
    expect(view).toMatchObject({ tried: false, hasConflict: false, message: { isError: false } })
    expect(view.draft).toBeUndefined()
  })

  it('starts a new agent with the focus on its name', () => {
    const view = after(opened(undefined), { type: 'received', message: { type: 'newAgent' } })
    expect(configurationOf(view)).toMatchObject({ entryAgent: 'new-agent', agents: [{ name: 'new-agent' }] })
    expect(view.focusName).toBe(1)
  })

  describe('while the built-in team is used', () => {
    const used = after(initialView(undefined), {
      type: 'received',
      message: { type: 'state', state: { ...state(undefined), builtIn: { ...builtIn, isUsed: true } } },
    })
    const names = (view: PageView) => configurationOf(view).agents.map(({ name }) => name)

    it.each<[string, Action]>([
      ['the button', { type: 'adding' }],
      ['the command', { type: 'received', message: { type: 'newAgent' } }],
    ])('asks what to start with before %s adds an agent', (_, action) => {
      const view = after(used, action)
      expect(view).toMatchObject({ asksStart: true })
      expect(view.draft).toBeUndefined()
    })

    it('copies the team first, which keeps its entry agent', () => {
      const view = after(used, { type: 'adding' }, { type: 'started', from: 'built-in' })
      expect(names(view)).toEqual(['coordinator', 'code-reviewer', 'new-agent'])
      expect(configurationOf(view).entryAgent).toBe('coordinator')
      expect(view).toMatchObject({ asksStart: false, selected: 2, focusName: 1 })
    })

    it('starts with one agent, or changes nothing', () => {
      const one = after(used, { type: 'adding' }, { type: 'started', from: 'nothing' })
      expect(configurationOf(one)).toMatchObject({ entryAgent: 'new-agent', agents: [{ name: 'new-agent' }] })
      expect(after(used, { type: 'adding' }, { type: 'started' })).toEqual(used)
    })

    it('asks only for the first agent', () => {
      const one = after(used, { type: 'adding' }, { type: 'started', from: 'nothing' }, { type: 'adding' })
      expect(one.asksStart).toBe(false)
      expect(names(one)).toHaveLength(2)
    })
  })

  it('selects an existing agent after one was removed outside', () => {
    const view = after(
      opened(team('a', 'b', 'c')),
      { type: 'selected', index: 2 },
      { type: 'received', message: { type: 'state', state: state(team('a'), '2') } },
    )
    expect(view.selected).toBe(0)
  })
})
