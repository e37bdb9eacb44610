import { expect, it } from 'vitest'
import { type StatusReport, statusText } from './status-text.ts'

const empty: StatusReport = {
  agents: [],
  models: [],
  builtInTools: 12,
  editorTools: 3,
  missing: [],
  isTrusted: true,
  problems: [],
  notices: [],
  running: [],
}

it('shows the status if nothing is set up', () => {
  const text = statusText(empty)
  expect(text).toContain('- Folder: none is open')
  expect(text).toContain('- Models: none. Sign in to GitHub Copilot')
  expect(text).toContain('- Tools: 12 built in, 3 from VS Code and its extensions')
  expect(text).toContain('## Problems\n\nNone.')
})

it('names agents, the entry agent, problems, missing tools and sessions', () => {
  const text = statusText({
    ...empty,
    folder: '/w',
    home: '/w/.cadre',
    isTrusted: false,
    entry: 'lead',
    models: ['gpt-5'],
    agents: [
      {
        name: 'lead',
        description: 'Leads',
        prompt: '',
        tools: { kind: 'list', names: [] },
        delegates: { kind: 'all' },
      },
      {
        name: 'a',
        description: 'Works.',
        prompt: '',
        tools: { kind: 'all' },
        delegates: { kind: 'none' },
        source: { path: '.github/agents/a.agent.md', dialect: 'copilot' },
      },
      { name: 'b', description: 'Says nothing', prompt: '', tools: { kind: 'all' } },
    ],
    problems: [
      { level: 'user', severity: 'error', code: 'x', message: 'configuration.agents[0].name is empty' },
    ],
    missing: [{ agent: 'a', tool: 'gone' }],
    running: [{ id: 'lead-1', agent: 'lead', status: 'running' }],
  })
  expect(text).toContain('Restricted Mode')
  expect(text).toContain(
    '- `lead` (entry agent: answers `@agents`): Leads. Delegates to any agent; no tools.',
  )
  expect(text).toContain('- `a`: Works. Delegates to nobody; all tools. From `.github/agents/a.agent.md`.')
  expect(text).toContain(
    '- `b`: Says nothing. Delegates to any agent, but only as the entry agent; all tools.',
  )
  expect(text).toContain('- error in the user settings: configuration\\.agents\\[0\\]\\.name is empty')
  expect(text).toContain('- warning: `a` names the tool `gone`, which is not available')
  expect(text).toContain('- `lead-1`: lead, running')
})

it('shows text of files as text', () => {
  const evil = {
    name: 'a`b',
    description: '[x](command:evil) <img>',
    prompt: '',
    tools: { kind: 'all' as const },
  }
  const text = statusText({ ...empty, agents: [evil] })
  expect(text).toContain('``a`b``')
  expect(text).toContain('\\[x\\]\\(command:evil\\) \\<img\\>')
})
