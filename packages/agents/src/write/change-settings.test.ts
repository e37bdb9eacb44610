import { describe, expect, it } from 'vitest'
import { changeSettings, type SettingsChange } from './change-settings.ts'

const path = '/p/.vscode/settings.json'
const agent = (name: string, targets: readonly string[] = []) => ({
  name,
  systemPrompt: `You are ${name}.`,
  description: 'd',
  useFor: 'u',
  delegationPermissions: targets.length === 0 ? { type: 'none' } : { type: 'specific', agents: targets },
  toolPermissions: { type: 'all' },
})
const line = (value: object) => JSON.stringify(value)
const text = `{
  // mine
  "editor.tabSize":   2, /* keep */
  "copilotMultiAgent.entryAgent": "lead",
  "copilotMultiAgent.agents": [
    ${line(agent('lead', ['writer', 'tester']))},
    // the writer
    ${line(agent('writer', ['tester']))},
    ${line(agent('tester'))}
  ],
  "z": [1,2,   3],
}
`
const change = (one: SettingsChange, of: string | undefined = text) => {
  const changed = changeSettings({ path, change: one, ...(of !== undefined && { text: of }) })
  if (changed.kind === 'refused') throw new Error(`${changed.line}: ${changed.reason}`)
  return changed
}
/** The lines that a change removed and added. */
const difference = (after: string) => {
  const [a, b] = [text.split('\n'), after.split('\n')]
  return { gone: a.filter((one) => !b.includes(one)), come: b.filter((one) => !a.includes(one)) }
}

describe('changing agents in the settings of an editor', () => {
  it('adds an agent after the others and keeps every other line', () => {
    const { text: after, added } = change({ kind: 'add', agent: agent('fourth') })
    expect(added).toEqual(['fourth'])
    const { gone, come } = difference(after)
    // The last agent gets a comma.
    expect(gone).toEqual([`    ${line(agent('tester'))}`])
    expect(come[0]).toBe(`    ${line(agent('tester'))},`)
    expect(after).toContain('"name": "fourth"')
  })

  it.each([
    ['no file', undefined],
    ['an empty list', '{"copilotMultiAgent": {"agents": []}}'],
  ])('makes the first agent the entry agent: %s', (_, before) => {
    const changed = changeSettings({
      path,
      change: { kind: 'add', agent: agent('first') },
      ...(before !== undefined && { text: before }),
    })
    expect(changed).toMatchObject({ kind: 'changed' })
    expect(changed.kind === 'changed' && changed.text).toMatch(/"entryAgent": "first"|\.entryAgent": "first"/)
  })

  it('duplicates an agent next to it, under a free name', () => {
    const once = change({ kind: 'duplicate', name: 'Writer' })
    const twice = change({ kind: 'duplicate', name: 'writer' }, once.text)
    expect([once.added, twice.added]).toEqual([['writer-copy'], ['writer-copy-2']])
    expect(difference(once.text).gone).toEqual([])
    expect(once.text.indexOf('"writer-copy"')).toBeLessThan(once.text.indexOf('"tester","systemPrompt"'))
    expect(change({ kind: 'duplicate', name: 'writer', as: 'editor' }).added).toEqual(['editor'])
  })

  it('removes an agent from the list and from those that delegate to it', () => {
    const { text: after, removed } = change({ kind: 'remove', name: 'tester' })
    expect(removed).toEqual(['tester'])
    expect(after).not.toContain('tester')
    const lines = after.split('\n')
    expect(lines[5]).toBe(`    ${line(agent('lead', ['writer']))},`)
    expect(lines[6]).toBe('    // the writer')
    expect(lines[7]).toMatch(/^ {4}\{"name":"writer",.*"delegationPermissions":\{$/)
    expect(after).toContain('"type": "none"')
    for (const kept of ['  // mine', '  "editor.tabSize":   2, /* keep */', '  "z": [1,2,   3],'])
      expect(after.split('\n')).toContain(kept)
  })

  it('removes only the agents when it resets', () => {
    const { text: after, removed } = change({ kind: 'reset' })
    expect(removed).toEqual(['lead', 'writer', 'tester'])
    expect(after).toBe('{\n  // mine\n  "editor.tabSize":   2, /* keep */\n  "z": [1,2,   3],\n}\n')
  })

  it('replaces a removed entry agent', () => {
    const after = change({ kind: 'remove', name: 'lead', entry: 'writer' }).text
    expect(after).toContain('"copilotMultiAgent.entryAgent": "writer"')
  })

  it('changes a workspace file one level deeper', () => {
    const file = { path: '/p/x.code-workspace', text: '{"folders": [], "settings": {}}' }
    const changed = changeSettings({ ...file, change: { kind: 'add', agent: agent('a') } })
    expect(changed.kind === 'changed' && JSON.parse(changed.text)).toMatchObject({
      folders: [],
      settings: { 'copilotMultiAgent.entryAgent': 'a' },
    })
  })

  it.each<[string, string, SettingsChange, RegExp]>([
    ['an existing name', text, { kind: 'add', agent: agent('LEAD') }, /already an agent named LEAD/],
    ['a copy with an existing name', text, { kind: 'duplicate', name: 'lead', as: 'tester' }, /already/],
    ['a name that settings do not allow', text, { kind: 'add', agent: agent('a b') }, /name/],
    ['an unknown name', text, { kind: 'remove', name: 'wrter' }, /Did you mean writer/],
    ['an entry agent without a successor', text, { kind: 'remove', name: 'lead' }, /--entry: writer, tester/],
    ['itself as its successor', text, { kind: 'remove', name: 'lead', entry: 'lead' }, /--entry/],
    ['no agents to reset', '{"a": 1}', { kind: 'reset' }, /no agents/],
    ['broken settings', '{"a": }', { kind: 'reset' }, /./],
    ['no object', '[]', { kind: 'reset' }, /must be an object/],
    [
      'an invalid list',
      '{"copilotMultiAgent.agents": 3}',
      { kind: 'remove', name: 'a' },
      /must be a list of objects/,
    ],
    [
      'an older format',
      '{"copilotMultiAgent.customAgents": []}',
      { kind: 'add', agent: agent('a') },
      /cadre agents import/,
    ],
    [
      'the only agent',
      `{"copilotMultiAgent.agents": [${line(agent('a'))}]}`,
      { kind: 'remove', name: 'a' },
      /cadre agents reset/,
    ],
  ])('rejects %s', (_, before, one, reason) => {
    const changed = changeSettings({ path, text: before, change: one })
    expect(changed.kind).toBe('refused')
    expect(changed.kind === 'refused' && changed.reason).toMatch(reason)
  })
})
