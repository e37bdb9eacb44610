import { describe, expect, it } from 'vitest'
import { readAgentText } from '../load/read-agent-text.ts'

const agent = (header: string, path = '/p/.github/agents/a.agent.md') =>
  readAgentText({ path, text: `---\nname: a\ndescription: d\ntools: [read]\n${header}\n---\n\nDo it.\n` })
const closed = { writes: 'none', commands: 'none' }

describe('the boundary of an agent', () => {
  it.each([
    ['metadata: {cadre-writes: none, cadre-commands: none}', closed],
    ['metadata:\n  cadre-writes: artifact\n  cadre-commands: copy', { writes: 'artifact', commands: 'copy' }],
    [
      'metadata:\n  cadreWrites: Artifact\n  cadre_commands: "none"',
      { writes: 'artifact', commands: 'none' },
    ],
    ['metadata: {cadre-commands: none}', { commands: 'none' }],
    // Commands can change files, so they get a copy.
    ['metadata: {cadre-writes: artifact}', { writes: 'artifact', commands: 'copy' }],
    ['cadre-writes: none\ncadre-commands: none', closed],
    // The stricter of two applies.
    [
      'cadre-writes: none\nmetadata: {cadre-writes: artifact, cadre-commands: copy}',
      { writes: 'none', commands: 'copy' },
    ],
    ["metadata: {cadre-entry: 'true', team: x}", undefined],
    ['', undefined],
  ])('of %j', (header, boundary) => {
    const read = agent(header)
    expect(read.diagnostics).toEqual([])
    expect(read.agent?.boundary).toEqual(boundary)
  })

  it.each([
    ['metadata: {cadre-writes: all}', { writes: 'none', commands: 'copy' }],
    ['metadata: {cadre-writes: }', { writes: 'none', commands: 'copy' }],
    ['metadata: {cadre-writes: [artifact]}', { writes: 'none', commands: 'copy' }],
    ['metadata: {cadre-writes: true, cadre-commands: copy}', { writes: 'none', commands: 'copy' }],
    ['metadata: {cadre-commands: free}', { commands: 'none' }],
    // Misspelt, or with a look-alike letter.
    ['metadata: {cadre-write: artifact}', { writes: 'none', commands: 'copy' }],
    ['metadata: {cadre-wirtes: artifact}', { writes: 'none', commands: 'copy' }],
    ['metadata: {сadre-writes: artifact}', { writes: 'none', commands: 'copy' }],
    ['metadata: {cadre-shell: none}', closed],
    // In the wrong place.
    ['options: {cadre-writes: artifact}', { writes: 'none', commands: 'copy' }],
    ['metadata: {limits: {cadre-commands: copy}}', { commands: 'none' }],
    ['metadata: [{cadre-commands: copy}]', { commands: 'none' }],
    ['metadata: cadre-writes = none', closed],
    ['metadata: "cadre-writes: none"', closed],
  ])('is the strictest if it is invalid: %j', (header, boundary) => {
    const read = agent(header)
    expect(read.agent?.boundary).toEqual(boundary)
    expect(read.diagnostics).toContainEqual(
      expect.objectContaining({ code: 'boundary-unclear', severity: 'warning', line: 5 }),
    )
  })

  it('makes an agent unusable if it is in the text instead of the header', () => {
    const text = '---\nname: a\ndescription: d\ntools: [edit]\n---\ncadre-writes: none\n---\n\nDo it.\n'
    const read = readAgentText({ path: '/p/.github/agents/a.agent.md', text })
    expect(read.agent).toBeUndefined()
    expect(read.diagnostics).toContainEqual(expect.objectContaining({ code: 'key-unseen', line: 6 }))
  })

  it.each([['/p/.claude/agents/a.md'], ['/p/.opencode/agent/a.md'], ['/p/.github/chatmodes/a.chatmode.md']])(
    'is read in every dialect that has a header: %s',
    (path) => {
      expect(agent('metadata: {cadre-writes: artifact, cadre-commands: none}', path).agent?.boundary).toEqual(
        {
          writes: 'artifact',
          commands: 'none',
        },
      )
    },
  )

  it.each([
    ['id: a\nsystem_prompt: x\ndescription: d\nmetadata:\n  cadre-writes: none\n  cadre-commands: none\n'],
    [
      'apiVersion: v1\nkind: Agent\nmetadata:\n  name: a\n  cadre-writes: none\n  cadre-commands: none\nspec:\n  system_prompt: x\n  description: d\n',
    ],
  ])('is read in templates, wrapped or not', (text) => {
    const read = readAgentText({ path: '/h/templates/a.agent.yaml', text })
    expect(read.agent?.boundary).toEqual(closed)
    expect(read.agent?.unknown?.['metadata']).toBeUndefined()
  })

  it('leaves the rest of the metadata as it is', () => {
    const read = agent("metadata: {cadre-entry: 'true', owner: me, cadre-writes: none}")
    expect(read.agent?.unknown).toEqual({ metadata: { 'cadre-entry': 'true', owner: 'me' } })
  })

  it('is never lost by one wrong character', () => {
    const lines = 'metadata:\n  cadre-writes: none\n  cadre-commands: none\n'
    const [before, after] = ['---\nname: a\ndescription: d\ntools: [edit]\n', 'max-turns: 3\n---\n\nDo it.\n']
    const damaged = [...lines].flatMap((sign, at) => [
      lines.slice(0, at) + lines.slice(at + 1),
      `${lines.slice(0, at)}${lines[at + 1] ?? ''}${sign}${lines.slice(at + 2)}`,
      ...['x', ' ', '\n', '"', ':'].map((other) => lines.slice(0, at) + other + lines.slice(at)),
      ...['x', '\n'].map((other) => lines.slice(0, at) + other + lines.slice(at + 1)),
    ])
    const lost = damaged.filter((text) => {
      const read = readAgentText({ path: '/p/.github/agents/a.agent.md', text: before + text + after })
      const isUsable = read.agent?.tools.kind === 'list' && read.agent.tools.names.length > 0
      return isUsable && JSON.stringify(read.agent?.boundary) !== JSON.stringify(closed)
    })
    expect(lost).toEqual([])
  })
})
