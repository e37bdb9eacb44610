import { describe, expect, it } from 'vitest'
import { readMessage } from './read-message.ts'

const configuration = { entryAgent: 'a', agents: [{ name: 'a', toolPermissions: { type: 'all' } }] }

describe('messages of the page', () => {
  it('are read in every form of the protocol', () => {
    const draft = { level: 'user', stamp: 's', configuration }
    for (const message of [
      { type: 'ready' },
      { type: 'import' },
      { type: 'refreshTools' },
      { type: 'check', id: 1, selected: 0, configuration },
      { type: 'keep' },
      { type: 'keep', draft },
      { type: 'save', draft, overwrite: true },
      { type: 'export', to: 'json', configuration },
      { type: 'reset', level: 'workspace' },
      { type: 'openJson', level: 'folder' },
      { type: 'template', id: 'coordinator' },
      { type: 'copyFile', id: 'a' },
      { type: 'openFile', id: 'a' },
    ])
      expect(readMessage(message)).toMatchObject({ type: message.type })
  })

  it.each([
    undefined,
    null,
    'ready',
    [],
    {},
    { type: 'evil' },
    { type: 'constructor' },
    { type: 'reset' },
    { type: 'reset', level: 'everywhere' },
    { type: 'openFile', id: 7 },
    { type: 'openFile', id: 'x'.repeat(10_000) },
    { type: 'export', to: '/etc/passwd', configuration },
    { type: 'check', id: -1, selected: 0, configuration },
    { type: 'check', id: 1, selected: 0, configuration: { entryAgent: 'a' } },
    { type: 'check', id: 1, selected: 0, configuration: { entryAgent: 'a', agents: ['a'] } },
    { type: 'save', draft: { level: 'user', configuration } },
    { type: 'save', draft: { level: 'machine', stamp: '', configuration } },
  ])('are ignored if invalid: %j', (message) => {
    expect(readMessage(message)).toBeUndefined()
  })

  it('permit only what they spell out', () => {
    const odd = {
      entryAgent: 'a',
      agents: [{ name: 'a', toolPermissions: { type: 'specific', tools: ['x', 7] } }],
    }
    expect(readMessage({ type: 'check', id: 0, selected: 0, configuration: odd })).toMatchObject({
      configuration: {
        agents: [
          {
            delegationPermissions: { type: 'none' },
            toolPermissions: { type: 'specific', tools: ['x'] },
          },
        ],
      },
    })
  })
})
