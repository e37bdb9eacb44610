import { describe, expect, it } from 'vitest'
import { readSettingsAgents } from '../settings/read-settings.ts'
import { editSettings } from './edit-settings.ts'

const path = '/p/.vscode/settings.json'
const agents = [
  {
    name: 'a',
    systemPrompt: 'You are a.\nReally.',
    description: 'd',
    useFor: 'u',
    delegationPermissions: { type: 'none' },
    toolPermissions: { type: 'all' },
  },
]
const value = { version: '1.0.0', entryAgent: 'a', agents }
const edit = (text: string | undefined, replace = false) => {
  const edited = editSettings({ path, value, replace, ...(text !== undefined && { text }) })
  if (edited.kind === 'refused') throw new Error(edited.reason)
  return edited.text
}

describe('putting agents into the settings of an editor', () => {
  it.each([
    ['no file', undefined],
    ['an empty object', '{}'],
    ['settings with comments', '{\n\t// mine\n\t"editor.tabSize": 2, /* keep */\n}\n'],
    ['a nested namespace', '{\n  "copilotMultiAgent": {\n    // here\n    "other": 1\n  }\n}\n'],
  ])('%s', (_, text) => {
    const edited = edit(text)
    const read = readSettingsAgents({ path, text: edited })
    expect(read).toMatchObject({
      entry: 'a',
      agents: [{ agent: { name: 'a', prompt: 'You are a.\nReally.' } }],
    })
    expect(read.diagnostics).toEqual([])
    for (const [comment] of text?.matchAll(/\/\/ \w+|\/\* \w+ \*\//g) ?? []) expect(edited).toContain(comment)
  })

  it('replaces existing agents only on request, including the older format', () => {
    const text =
      '{\n  "a": 1,\n  "copilotMultiAgent.coordinator": {},\n  "copilotMultiAgent.customAgents": [],\n  "b": 2\n}\n'
    expect(editSettings({ path, text, value, replace: false })).toEqual({
      kind: 'refused',
      line: 3,
      reason: 'These settings already contain agents.',
      isTaken: true,
    })
    expect(JSON.parse(edit(text, true))).toEqual({
      a: 1,
      b: 2,
      'copilotMultiAgent.entryAgent': 'a',
      'copilotMultiAgent.agents': agents,
    })
  })

  it.each(['{', '[]', 'x', '{"a": }'])('leaves %s alone', (text) => {
    expect(editSettings({ path, text, value, replace: true })).toMatchObject({
      kind: 'refused',
      isTaken: false,
    })
  })
})
