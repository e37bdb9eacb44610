import { mkdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { findLintFiles } from './find-lint-files.ts'
import { agentText, createFolder, type Folder } from './folder.spec-helpers.ts'

const agent = agentText('name: a\ndescription: d\ntools: [read]')
const page = '---\ntitle: A page\ndescription: About it\n---\nText.\n'

const found = (folder: Folder, below = '.') =>
  findLintFiles(folder.at(below)).files.map((file) =>
    path.relative(folder.path, file).split(path.sep).join('/'),
  )

describe('finds', () => {
  it.each([
    '.github/agents/lead.agent.md',
    '.github/agents/deep/er/plain.md',
    '.claude/agents/worker.md',
    '.opencode/agent/build.md',
    '.opencode/agents/review.md',
    '.github/chatmodes/plan.chatmode.md',
    'anywhere/at/all/x.agent.md',
    'anywhere/y.chatmode.md',
    'skills/one/agents/x.agent.md',
    'prompts/x.agent.md',
    '.opencode/agent/commands/x.md',
    '.config/opencode/agents/x.md',
    '.kiro/agents/x.md',
    '.cadre/templates/planner.agent.yaml',
    'lib/helper.agent.yml',
  ])('%s, even without a header', (file) => {
    expect(found(createFolder({ [file]: 'Just text.\n' }))).toEqual([file])
  })

  it('no chat log of an agent', () => {
    const log = '# Agent: x\n\n## System Prompt\n\nYou plan.\n\n## Conversation\n'
    const files = { '.cadre/agents/x.agent.md': log, '.cadre/agents/y.agent.md': agent, 'z.agent.md': log }
    expect(found(createFolder(files))).toEqual(['.cadre/agents/y.agent.md', 'z.agent.md'])
  })

  it.each([
    ['.claude/agents/README.md', agent],
    ['.opencode/agent/AGENTS.md', agentText('description: d\nmode: subagent')],
    ['.claude/agents/index.md', `\ufeff${agent}`],
    ['.claude/agents/index.md', `\`\`\`\`chatagent\n${agent}\`\`\`\`\n`],
    ['.claude/agents/index.md', 'name: a\ndescription: d\nmodel: sonnet\n---\nText.\n'],
    ['templates/solo.yaml', 'id: solo\nsystem_prompt: Do it.\n'],
    ['templates/solo.yaml', 'apiVersion: daemon/v1\nkind: Agent\nmetadata:\n  description: d\n'],
    ['.vscode/settings.json', '{ // mine\n "copilotMultiAgent.agents": [] }'],
  ])('%s by its content: %j', (file, text) => {
    expect(found(createFolder({ [file]: text, 'other.agent.md': '' }))).toContain(file)
  })
})

describe('ignores', () => {
  it.each([
    ['.claude/agents/SKILL.md', agent],
    ['.github/agents/a.prompt.md', agent],
    ['notes/reviewer.md', agent],
    ['docs/agents/security/planner.md', agent],
    ['agents/design/ui.md', agent],
    ['plugins/one/agents/x.md', agent],
    ['skills/one/agents/x.md', agent],
    [
      '.github/workflows/triage.md',
      agentText('description: d\ntools: [read]\npermissions:\n  contents: read'),
    ],
    ['.github/ISSUE_TEMPLATE/bug.md', agentText('name: Bug\ndescription: d\nmodel: x')],
    ['.other/agents/x.md', agent],
    ['AGENTS.md', agent],
    ['.github/agents/b.instructions.md', agent],
    ['skills/one/x.md', agent],
    ['.claude/commands/go.md', agent],
    ['prompts/x.md', agent],
    ['node_modules/p/agents/x.agent.md', agent],
    ['.git/agents/x.agent.md', agent],
    ['.claude/worktrees/w/.github/agents/x.agent.md', agent],
    ['.cadre/sessions/agents/x.agent.md', agent],
    ['.cache/deep/x.agent.md', agent],
    ['.claude/agents/README.md', '# Agents\n'],
    ['.claude/agents/CLAUDE.md', '# For Claude\n'],
    ['.claude/agents/readme.zh-CN.md', '# Agents\n'],
    ['docs/page.md', page],
    ['chart/templates/deployment.yaml', 'apiVersion: apps/v1\nkind: Deployment\n'],
    ['.vscode/settings.json', '{"editor.tabSize": 2}'],
    ['.claude/agents/run.ts', 'export {}\n'],
  ])('%s', (file, text) => {
    expect(found(createFolder({ [file]: text, 'other.agent.md': '' }))).toEqual(['other.agent.md'])
  })
})

it('does not treat a page with a header as an agent, even if there is nothing else', () => {
  expect(found(createFolder({ 'a/page.md': page, 'notes/x.md': agent }))).toEqual([])
})

describe('plugins', () => {
  const manifest = JSON.stringify({ name: 'kit', agents: ['./more/helper.md', './team/'] })
  const marketplace = JSON.stringify({
    name: 'shop',
    plugins: [
      { name: 'one', source: './plugins/one' },
      { name: 'two', source: './two', strict: false, agents: './two-agents' },
      { name: 'far', source: { source: 'github', repo: 'a/b' } },
    ],
  })

  it('provide the files in their agents folder, and those that their manifest names', () => {
    const files = {
      '.claude-plugin/plugin.json': manifest,
      'agents/a.md': 'Just text.\n',
      'agents/deep/b.md': agent,
      'agents/README.md': '# Agents\n',
      'more/helper.md': agent,
      'more/other.md': agent,
      'team/c.md': agent,
    }
    expect(found(createFolder(files))).toEqual([
      'agents/a.md',
      'agents/deep/b.md',
      'more/helper.md',
      'team/c.md',
    ])
  })

  it('may be listed by a marketplace', () => {
    const files = {
      'market/.claude-plugin/marketplace.json': marketplace,
      'market/plugins/one/agents/a.md': agent,
      'market/plugins/other/agents/a.md': agent,
      'market/two/two-agents/b.md': agent,
      'market/agents/c.md': agent,
    }
    const folder = createFolder(files)
    const expected = ['market/plugins/one/agents/a.md', 'market/two/two-agents/b.md']
    expect(found(folder)).toEqual(expected)
    expect(found(folder, 'market/plugins')).toEqual(expected.slice(0, 1))
  })

  it('with an unreadable manifest provide nothing', () => {
    expect(found(createFolder({ '.claude-plugin/plugin.json': '{', 'agents/a.md': agent }))).toEqual([])
  })
})

it('uses the names of folders below the given one, and its own', () => {
  const folder = createFolder({ 'agents/repo/docs/notes.md': '# Notes\n', 'agents/repo/x.agent.md': '' })
  expect(found(folder, 'agents/repo')).toEqual(['agents/repo/x.agent.md'])
  expect(found(folder, 'agents')).toEqual(['agents/repo/docs/notes.md', 'agents/repo/x.agent.md'])
})

it('within a repository, a folder named agents counts wherever the search starts', () => {
  const folder = createFolder({ 'agents/team/notes.md': '# Notes\n' })
  mkdirSync(folder.at('.git'))
  expect(found(folder, 'agents/team')).toEqual(['agents/team/notes.md'])
})

it('finds the agents of a repository that was cloned into an agent folder', () => {
  const folder = createFolder({ '.claude/agents/team/a.md': agent, '.claude/agents/README.md': '# Notes\n' })
  mkdirSync(folder.at('.claude/agents/.git'))
  expect(found(folder, '.claude/agents')).toEqual(['.claude/agents/team/a.md'])
  expect(found(folder, '.claude/agents/team')).toEqual(['.claude/agents/team/a.md'])
})

describe('links', () => {
  it('are followed inside, once, and never in a cycle', () => {
    const folder = createFolder({ 'p/.github/agents/a.agent.md': agent })
    symlinkSync(folder.at('p'), folder.at('p/again'))
    symlinkSync(folder.at('p/.github/agents/a.agent.md'), folder.at('p/.github/agents/b.agent.md'))
    symlinkSync('nowhere', folder.at('p/.github/agents/c.agent.md'))
    expect(found(folder, 'p')).toEqual(['p/.github/agents/a.agent.md'])
  })

  it('count where they are, even below an agent folder', () => {
    const folder = createFolder({
      'shared/x.md': agent,
      '.ai/agents/y.md': agent,
      '.claude/agents/z.md': agent,
    })
    for (const place of ['.opencode/agent', '.github/agents'])
      mkdirSync(folder.at(place), { recursive: true })
    symlinkSync('../../shared/x.md', folder.at('.claude/agents/x.md'))
    symlinkSync('../../shared/x.md', folder.at('.opencode/agent/x.md'))
    symlinkSync('../../.ai/agents', folder.at('.opencode/agent/team'))
    symlinkSync('../../.claude/agents/z.md', folder.at('.github/agents/z.md'))
    const expected = [
      '.claude/agents/x.md',
      '.claude/agents/z.md',
      '.github/agents/z.md',
      '.opencode/agent/team/y.md',
      '.opencode/agent/x.md',
    ]
    expect(found(folder)).toEqual(expected)
    mkdirSync(folder.at('.git'))
    expect(found(folder, '.opencode')).toEqual(expected.slice(3))
  })

  it('that point outside are listed and not followed', () => {
    const folder = createFolder({
      'secret.txt': 'description: mine\n',
      'shared/agents/x.agent.md': agent,
      'p/k.agent.md': agent,
    })
    mkdirSync(folder.at('p/.github/agents'), { recursive: true })
    symlinkSync(folder.at('secret.txt'), folder.at('p/.github/agents/out.agent.md'))
    symlinkSync(folder.at('shared'), folder.at('p/shared'))
    const { files, outside } = findLintFiles(folder.at('p'))
    expect(files).toEqual([folder.at('p/k.agent.md')])
    expect(outside).toEqual([folder.at('p/.github/agents/out.agent.md')])
  })

  it('may point to the folder itself', () => {
    const folder = createFolder({ 'p/x.agent.md': agent })
    symlinkSync(folder.at('p'), folder.at('q'))
    expect(found(folder, 'q')).toEqual(['q/x.agent.md'])
  })
})
