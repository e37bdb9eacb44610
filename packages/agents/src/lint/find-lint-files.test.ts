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
    'agents/design/ui.md',
    'plugins/one/agents/x.md',
    'skills/one/agents/x.md',
    'prompts/x.agent.md',
    '.cadre/templates/planner.agent.yaml',
    'lib/helper.agent.yml',
    '.other/agents/x.md',
  ])('%s, even without a header', (file) => {
    expect(found(createFolder({ [file]: 'Just text.\n' }))).toEqual([file])
  })

  it('no log of what was said to an agent', () => {
    const log = '# Agent: x\n\n## System Prompt\n\nYou plan.\n\n## Conversation\n'
    const files = { '.cadre/agents/x.agent.md': log, '.cadre/agents/y.agent.md': agent, 'z.agent.md': log }
    expect(found(createFolder(files))).toEqual(['.cadre/agents/y.agent.md', 'z.agent.md'])
  })

  it.each([
    ['notes/reviewer.md', agent],
    ['agents/README.md', agent],
    ['AGENTS.md', agentText('description: d\nmode: subagent')],
    ['x.md', `\ufeff${agent}`],
    ['x.md', `\`\`\`\`chatagent\n${agent}\`\`\`\`\n`],
    ['x.md', 'name: a\ndescription: d\nmodel: sonnet\n---\nText.\n'],
    ['templates/solo.yaml', 'id: solo\nsystem_prompt: Do it.\n'],
    ['templates/solo.yaml', 'apiVersion: daemon/v1\nkind: Agent\nmetadata:\n  description: d\n'],
    ['.vscode/settings.json', '{ // mine\n "copilotMultiAgent.agents": [] }'],
  ])('%s by what is in it: %j', (file, text) => {
    expect(found(createFolder({ [file]: text, 'other.agent.md': '' }))).toContain(file)
  })
})

describe('leaves alone', () => {
  it.each([
    ['agents/SKILL.md', agent],
    ['agents/a.prompt.md', agent],
    ['.github/agents/b.instructions.md', agent],
    ['skills/one/x.md', agent],
    ['.claude/commands/go.md', agent],
    ['prompts/x.md', agent],
    ['node_modules/p/agents/x.agent.md', agent],
    ['.git/agents/x.agent.md', agent],
    ['.claude/worktrees/w/.github/agents/x.agent.md', agent],
    ['.cadre/sessions/agents/x.agent.md', agent],
    ['.cache/deep/x.agent.md', agent],
    ['agents/README.md', '# Agents\n'],
    ['agents/CLAUDE.md', '# For Claude\n'],
    ['agents/readme.zh-CN.md', '# Agents\n'],
    ['docs/page.md', page],
    ['docs/page.md', agentText('description: d\nmode: wide')],
    ['docs/rule.md', agentText("description: d\napplyTo: '**'\ntools: [read]")],
    ['chart/templates/deployment.yaml', 'apiVersion: apps/v1\nkind: Deployment\n'],
    ['.vscode/settings.json', '{"editor.tabSize": 2}'],
    ['agents/run.ts', 'export {}\n'],
  ])('%s', (file, text) => {
    expect(found(createFolder({ [file]: text, 'other.agent.md': '' }))).toEqual(['other.agent.md'])
  })
})

it('takes every file with a header where there is nothing that is surely an agent', () => {
  expect(found(createFolder({ 'a/page.md': page, 'b.md': '# no header\n' }))).toEqual(['a/page.md'])
})

it('goes by the names of folders below the one it is given, and by its own', () => {
  const folder = createFolder({ 'agents/repo/docs/notes.md': '# Notes\n', 'agents/repo/x.agent.md': '' })
  expect(found(folder, 'agents/repo')).toEqual(['agents/repo/x.agent.md'])
  expect(found(folder, 'agents')).toEqual(['agents/repo/docs/notes.md', 'agents/repo/x.agent.md'])
})

it('within a repository a folder called agents is one wherever the look starts', () => {
  const folder = createFolder({ 'agents/team/notes.md': '# Notes\n' })
  mkdirSync(folder.at('.git'))
  expect(found(folder, 'agents/team')).toEqual(['agents/team/notes.md'])
})

describe('links', () => {
  it('are followed inside, once, and never in a circle', () => {
    const folder = createFolder({ 'p/.github/agents/a.agent.md': agent })
    symlinkSync(folder.at('p'), folder.at('p/again'))
    symlinkSync(folder.at('p/.github/agents/a.agent.md'), folder.at('p/.github/agents/b.agent.md'))
    symlinkSync('nowhere', folder.at('p/.github/agents/c.agent.md'))
    expect(found(folder, 'p')).toEqual(['p/.github/agents/a.agent.md'])
  })

  it('that lead out are named and not followed', () => {
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

  it('may lead to the folder itself', () => {
    const folder = createFolder({ 'p/x.agent.md': agent })
    symlinkSync(folder.at('p'), folder.at('q'))
    expect(found(folder, 'q')).toEqual(['q/x.agent.md'])
  })
})
