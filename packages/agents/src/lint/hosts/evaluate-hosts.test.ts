import { describe, expect, test } from 'vitest'
import { agentText, createFolder } from '../folder.spec-helpers.ts'
import { lintFiles } from '../lint-folder.ts'
import type { HostName } from './host.ts'

/** What a host makes of a file, as `key effect`. */
async function judged(host: HostName, path: string, text: string): Promise<string[]> {
  const folder = createFolder({ [path]: text })
  const { files } = await lintFiles([folder.at(path)], { cwd: folder.path })
  return (files[0]?.hosts?.[host] ?? []).map(({ key, effect }) => `${key} ${effect}`)
}

const copilot = '.github/agents/a.agent.md'
const claude = '.claude/agents/a.md'
const opencode = '.opencode/agent/a.md'
const good = 'name: a\ndescription: d'

describe('keys', () => {
  test.each<[string, HostName, string, string[]]>([
    [`${good}\ntools: [read]\nmodel: gpt-5`, 'vscode', copilot, []],
    [`${good}\ntools: [read]\nmodel: gpt-5`, 'copilot-cli', copilot, []],
    [`${good}\nmodel: [gpt-5, o3]`, 'vscode', copilot, []],
    [`${good}\nmodel: [gpt-5, o3]`, 'copilot-cli', copilot, ['model rejects']],
    [`${good}\nmodel: [gpt-5, o3]`, 'copilot-harness', copilot, ['model rejects']],
    [`${good}\nmodel: [gpt-5, o3]`, 'github', copilot, ['model differently']],
    [`${good}\nmodel: GPT-5 (copilot)`, 'claude', claude, ['model differently']],
    [`${good}\nmodel: sonnet`, 'claude', claude, []],
    [`${good}\nmodel: sonnet`, 'opencode', opencode, ['model differently']],
    [`${good}\nmodel: gpt-5`, 'claude', claude, ['model differently']],
    [`${good}\nmodel: claude-sonnet-4-5`, 'claude', claude, []],
    [`${good}\ntools: Read, Bash(git log, git diff), Agent(a, b), mcp__x__y`, 'claude', claude, []],
    [`${good}\ntools: Read, editFiles, codebase`, 'claude', claude, ['tools ignored']],
    [`${good}\ntools: Read, editFiles, codebase`, 'vscode', claude, []],
    [`${good}\ndisallowedTools: [write, Bash]`, 'claude', claude, ['disallowedTools ignored']],
    [`${good}\ndisallowedTools: [Write, Bash]`, 'claude', claude, []],
    [
      `${good}\ntools:\n  Read: true\n  Bash: false`,
      'opencode',
      opencode,
      ['tools ignored', 'tools ignored'],
    ],
    [`${good}\ntools:\n  '*': false\n  read: true\n  my_tool: true`, 'opencode', opencode, []],
    [`${good}\npermission:\n  Bash: deny`, 'opencode', opencode, ['permission ignored']],
    [`${good}\nmodel: anthropic/claude-sonnet-4`, 'opencode', opencode, []],
    [`${good}\ntools:`, 'copilot-cli', copilot, ['tools rejects']],
    [`${good}\ntools: true`, 'copilot-cli', copilot, ['tools rejects']],
    [`${good}\ntools:\n  bash: false`, 'copilot-cli', copilot, ['tools rejects']],
    [`${good}\ntools:\n  bash: false`, 'opencode', opencode, []],
    [`${good}\ntools: [read]`, 'opencode', opencode, ['tools rejects']],
    [`${good}\nhandoffs:\n  - label: x\n    agent: b\n    prompt: p`, 'vscode', copilot, []],
    [`${good}\nhandoffs:\n  - label: x\n    agent: b`, 'vscode', copilot, ['handoffs differently']],
    [`${good}\nhandoffs: []`, 'github', copilot, ['handoffs ignored']],
    [`${good}\ntools: [read]\nagents: [b]`, 'vscode', copilot, ['agents ignored']],
    [`${good}\ntools: [read, agent]\nagents: [b]`, 'vscode', copilot, []],
    [`${good}\ntools: [read]\nagents: []`, 'vscode', copilot, []],
    [`${good}\ntools: [agent/runSubagent]\nagents: [b]`, 'vscode', copilot, []],
    [`${good}\nagents: [b]`, 'copilot-cli', copilot, ['agents ignored']],
    [`${good}\nuser-invocable: false`, 'copilot-cli', copilot, []],
    [`${good}\nuser-invocable: nope`, 'copilot-cli', copilot, ['user-invocable rejects']],
    [`${good}\nuser-invokable: false`, 'vscode', copilot, ['user-invokable ignored']],
    [`${good}\ninfer: false`, 'github', copilot, ['infer ignored']],
    [`${good}\ninfer: false`, 'vscode', copilot, ['infer differently']],
    [`${good}\ntarget: vscode`, 'github', copilot, ['target rejects']],
    [`${good}\nmcp-servers: {}`, 'vscode', copilot, ['mcp-servers ignored']],
    [`${good}\nmcp-servers: {}`, 'github', copilot, []],
    [`${good}\nmcpServers: {}`, 'claude', claude, []],
    [`${good}\nmcpServers: {}`, 'copilot-cli', claude, ['mcpServers ignored']],
    [`${good}\ndisallowedTools: Bash`, 'vscode', claude, []],
    [`${good}\ndisallowedTools: Bash`, 'vscode', copilot, ['disallowedTools ignored']],
    [`${good}\nskills: one, two`, 'copilot-cli', copilot, ['skills rejects']],
    [`${good}\nhooks:\n  pre: echo`, 'claude', claude, ['hooks ignored']],
    [`${good}\nhooks:\n  PreToolUse: []`, 'claude', claude, []],
    [`${good}\nhooks:\n  PreToolUse: []`, 'vscode', copilot, ['hooks differently']],
    [`${good}\npermission:\n  edit: deny`, 'claude', claude, ['permission ignored']],
    [`${good}\npermission:\n  edit: deny`, 'opencode', opencode, []],
    [`${good}\ncolor: blue`, 'opencode', opencode, ['color rejects']],
    [`${good}\ncolor: '#ff0000'`, 'opencode', opencode, []],
    [`${good}\nmode: other`, 'opencode', opencode, ['mode rejects']],
    [`${good}\ntags: [x]`, 'opencode', opencode, ['tags differently']],
    [`${good}\ntags: [x]`, 'claude', claude, ['tags ignored']],
    ['name: a', 'copilot-cli', copilot, ['description rejects']],
    ['description: d', 'claude', claude, ['name rejects']],
    ['description: d', 'vscode', claude, []],
    [good, 'opencode', copilot, ['* ignored']],
    [good, 'github', claude, ['* ignored']],
  ])('%j for %s in %s', async (keys, host, path, expected) => {
    expect(await judged(host, path, agentText(keys))).toEqual(expected)
  })
})

describe('the header as a whole', () => {
  const plain = agentText(`${good}\ntools: [read]`)
  const colon = agentText('name: a\ndescription: Use it: always\nmodel: gpt-5\ntools: [read]')
  const dashes = agentText('name: a\ndescription: one --- two\ntools: [read]')
  const comment = agentText('name: a\ndescription: d\n# ---\ntools: [read]')
  const inList = agentText('name: a\ndescription: d\ntools: [\n    # ---\n    read\n  ]')
  const block = agentText('name: a\ndescription: |\n  d\ntools: [read]')
  const bracket = agentText('name: a\ndescription: [a] thing: d\ntools: [read]')
  test.each<[string, string, HostName, string[]]>([
    ['a byte order mark before it', `\ufeff${plain}`, 'vscode', ['header ignored']],
    ['a byte order mark before it', `\ufeff${plain}`, 'claude', ['header rejects']],
    ['a byte order mark before it', `\ufeff${plain}`, 'copilot-cli', []],
    ['": " in a value', colon, 'vscode', ['description differently', 'model ignored', 'tools ignored']],
    ['": " in a value', colon, 'copilot-cli', ['header rejects']],
    ['": " in a value', colon, 'github', ['header rejects']],
    ['": " in a value', colon, 'claude', ['header rejects']],
    ['": " in a value', colon, 'opencode', ['* ignored', 'model differently', 'tools rejects']],
    ['": " and a bracket', bracket, 'claude', ['header differently', 'tools ignored']],
    ['dashes in a value', dashes, 'claude', ['header differently', 'tools ignored']],
    ['dashes in a value', dashes, 'copilot-cli', []],
    ['dashes in a comment', comment, 'copilot-cli', ['header differently', 'tools ignored']],
    ['dashes in a list', inList, 'copilot-cli', ['header rejects']],
    ['dashes in a list', inList, 'github', []],
    ['a block', block, 'vscode', ['description differently']],
    ['a block', block, 'copilot-cli', []],
    ['a fence around it', `\`\`\`\`chatagent\n${plain}\`\`\`\`\n`, 'vscode', ['header ignored']],
    ['a fence around it', `\`\`\`\`chatagent\n${plain}\`\`\`\`\n`, 'copilot-cli', ['header rejects']],
  ])('%s: %j for %s', async (_, text, host, expected) => {
    const effects = await judged(host, host === 'claude' ? claude : copilot, text)
    expect(effects).toEqual(expected)
  })

  test('without the restricting key, an agent has every tool', async () => {
    const folder = createFolder({ [copilot]: colon })
    const { files } = await lintFiles([folder.at(copilot)], { cwd: folder.path, hosts: ['vscode'] })
    expect(Object.keys(files[0]?.hosts ?? {})).toEqual(['vscode'])
    expect(files[0]?.hosts?.vscode?.find(({ key }) => key === 'tools')?.note).toContain('on line 3')
    expect(files[0]?.hosts?.vscode?.find(({ key }) => key === 'tools')?.note).toContain('every tool')
  })

  test('reports names that grant nothing, and restrictions that are not enforced', async () => {
    const text = agentText(`${good}\ntools: Read, editFiles\ndisallowedTools: write`)
    const folder = createFolder({ [claude]: text })
    const { files } = await lintFiles([folder.at(claude)], { cwd: folder.path, hosts: ['claude'] })
    expect(files[0]?.hosts?.claude?.map(({ note }) => note)).toEqual([
      'unknown names, which grant nothing: editFiles',
      'unknown names, so this host does not restrict write',
    ])
  })

  test('formats that no host reads have no hosts', async () => {
    const folder = createFolder({
      '.cadre/templates/a.agent.yaml': 'id: a\ndescription: d\nsystem_prompt: x\n',
    })
    const { files } = await lintFiles([folder.at('.cadre/templates/a.agent.yaml')], { cwd: folder.path })
    expect(files[0]).not.toHaveProperty('hosts')
  })
})
