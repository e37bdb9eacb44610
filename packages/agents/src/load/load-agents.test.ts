import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadAgents } from './load-agents.ts'

/** For tests that take seconds: `npm test` skips them, and `npm run test:deep` runs them. */
const inDeep = it.runIf(process.env['CADRE_DEEP'] ?? process.env['CADRE_OPTIONAL'])

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-agents-')))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const at = (file: string) => path.join(root, file)
const write = (file: string, text: string | Buffer) => {
  mkdirSync(path.dirname(at(file)), { recursive: true })
  writeFileSync(at(file), text)
}
const load = () => loadAgents({ home: at('.cadre'), project: root, userHome: at('user') })
const header = (keys: string, body = 'Do it.') => `---\n${keys}\n---\n${body}\n`
const names = async () => (await load()).agents.map(({ name }) => name)

describe('sources of agents', () => {
  it('reads each dialect', async () => {
    write(
      '.github/agents/planner.agent.md',
      header('description: Plans\ntools: [read_file, search]', '# Plan\n\nPlan it.'),
    )
    write('.github/agents/plain.md', header('description: d'))
    write('.github/chatmodes/chat.chatmode.md', header('description: d'))
    write(
      '.claude/agents/reviewer.md',
      header('name: code-reviewer\ndescription: Reviews\ntools: Read, Grep\nmodel: inherit'),
    )
    write('.opencode/agent/open.md', header('description: d\nmode: primary'))
    write('.opencode/agents/deep/down.md', 'Just do it.')
    write('user/.claude/agents/mine.md', header('description: d'))
    write('user/.copilot/agents/pilot.agent.md', header('description: d'))
    write('user/.config/opencode/agent/one.md', header('description: d'))
    write('user/.config/opencode/agents/two.md', header('description: d'))
    write(
      '.cadre/templates/executor-001.agent.yaml',
      'id: executor-001\nname: The executor\ntype: executor\nmodel: claude-sonnet-4.5\nsystem_prompt: |\n  You execute.\n  Carefully.\ncapabilities:\n  - execute_command\n  - read_file\nmetadata:\n  version: "1.0"\n',
    )
    write(
      '.cadre/templates/other.yaml',
      'agent_id: retriever\nagent_type: retriever\ndescription: Finds\nsystem_prompt: You find.\ntools: []\n',
    )
    write(
      '.cadre/templates/deep/wrapped.yaml',
      '---\napiVersion: x/v1\nkind: Agent\nmetadata:\n  description: Wrapped\n  model: m\n  tools:\n  - view_file\n  labels: [a]\nspec:\n  system_prompt: |\n    You wrap.\n',
    )
    const { agents, diagnostics, files } = await load()
    expect(diagnostics.map(({ code, path: file }) => [code, path.basename(file)])).toEqual([
      ['header-missing', 'down.md'],
      ['description-missing', 'executor-001.agent.yaml'],
    ])
    expect(new Set(files.map(({ status }) => status))).toEqual(new Set(['ok']))
    expect(agents.map(({ name, source }) => `${name} ${source?.dialect}`)).toEqual([
      'chat chatmode',
      'code-reviewer claude',
      'down opencode',
      'executor-001 template',
      'mine claude',
      'one opencode',
      'open opencode',
      'pilot copilot',
      'plain copilot',
      'planner copilot',
      'retriever template',
      'two opencode',
      'wrapped template',
    ])
    const agent = (name: string) => agents.find((other) => other.name === name)
    expect(agent('executor-001')).toEqual({
      name: 'executor-001',
      description: '',
      prompt: 'You execute.\nCarefully.',
      type: 'executor',
      models: ['claude-sonnet-4.5'],
      tools: { kind: 'list', names: ['execute_command', 'read_file'] },
      unknown: { name: 'The executor', metadata: { version: '1.0' } },
      source: { path: at('.cadre/templates/executor-001.agent.yaml'), dialect: 'template', line: 1 },
    })
    expect(agent('retriever')).toMatchObject({ type: 'retriever', prompt: 'You find.', tools: { names: [] } })
    expect(agent('wrapped')).toMatchObject({
      description: 'Wrapped',
      prompt: 'You wrap.',
      models: ['m'],
      tools: { names: ['view_file'] },
      unknown: { apiVersion: 'x/v1', kind: 'Agent', labels: ['a'] },
    })
  })

  it('uses the higher level, and reports every shadowed definition', async () => {
    const places = [
      'user/.config/opencode/agent/lead.md',
      'user/.claude/agents/lead.md',
      'user/.copilot/agents/lead.agent.md',
      '.opencode/agent/lead.md',
      '.claude/agents/lead.md',
      '.github/chatmodes/lead.chatmode.md',
      '.github/agents/Lead.agent.md',
      '.cadre/templates/LEAD.agent.yaml',
    ]
    for (const [index, place] of places.entries()) {
      const template = `id: LEAD\ndescription: d\nsystem_prompt: "${index}"\n`
      write(place, place.endsWith('yaml') ? template : header('description: d', String(index)))
      const { agents, files, diagnostics } = await load()
      expect(agents.map(({ prompt }) => prompt)).toEqual([String(index)])
      expect(diagnostics.filter(({ code }) => code === 'shadowed')).toHaveLength(index)
      const winner = files.find((file) => file.shadowedBy === undefined)
      expect(winner?.shadows?.toSorted() ?? []).toEqual(places.slice(0, index).map(at).toSorted())
      expect(files.filter((file) => file.shadowedBy === at(place))).toHaveLength(index)
    }
    const builtIns = [{ name: 'Lead', description: '', prompt: 'built in', tools: { kind: 'all' } as const }]
    const loaded = await loadAgents({ home: at('.cadre'), builtIns })
    expect(loaded.agents.map(({ prompt }) => prompt)).toEqual(['7'])
    expect(loaded.files[0]?.shadows).toEqual(['built-in'])
    expect((await loadAgents({ builtIns: () => builtIns })).agents).toEqual(builtIns)
  })

  it('uses the deeper folder within one level', async () => {
    write('.claude/agents/lead.md', header('description: d', 'top'))
    write('.claude/agents/a/b/lead.md', header('description: d', 'deepest'))
    write('.claude/agents/z/lead.md', header('description: d', 'deep'))
    const { agents, files } = await load()
    expect(agents.map(({ prompt }) => prompt)).toEqual(['deepest'])
    expect(files.map(({ status, diagnostics }) => [status, ...diagnostics.map(({ code }) => code)])).toEqual([
      ['ok'],
      ['ok', 'shadowed'],
      ['ok', 'shadowed'],
    ])
  })

  it('prefers .agent.md over .md in one folder; otherwise uses the first, and reports the other', async () => {
    write('.github/agents/a.md', header('name: same\ndescription: d', 'plain'))
    write('.github/agents/b.agent.md', header('name: same\ndescription: d', 'marked'))
    write('.github/agents/c.agent.md', header('name: Same\ndescription: d', 'third'))
    const { agents, files } = await load()
    expect(agents.map(({ prompt }) => prompt)).toEqual(['marked'])
    expect(
      files.map(({ status, shadowedBy, diagnostics: [note] }) => [status, shadowedBy, note?.code]),
    ).toEqual([
      ['ok', at('.github/agents/b.agent.md'), 'shadowed'],
      ['ok', undefined, undefined],
      ['failed', at('.github/agents/b.agent.md'), 'name-twice'],
    ])
    expect(files[1]?.shadows).toEqual([at('.github/agents/a.md'), at('.github/agents/c.agent.md')])
  })

  it('lists a disabled agent without using it or one below it', async () => {
    write('.opencode/agent/lead.md', header('description: d\ndisable: true'))
    write('user/.claude/agents/lead.md', header('description: d'))
    const { agents, files } = await load()
    expect(agents).toEqual([])
    expect(files).toMatchObject([
      { shadowedBy: at('.opencode/agent/lead.md') },
      { status: 'ok', agent: 'lead', diagnostics: [{ code: 'agent-disabled' }] },
    ])
  })

  it('lists a rescued file as such, and a hopeless one with its reason', async () => {
    write('.claude/agents/a.md', header('description: Use: it'))
    write('.claude/agents/b.md', '# Notes')
    write('.claude/agents/README.md', '# Notes')
    expect((await load()).files).toMatchObject([
      { status: 'rescued', agent: 'a', diagnostics: [{ code: 'value-unquoted', line: 2 }] },
      { status: 'failed', diagnostics: [{ code: 'header-missing', line: 1 }] },
    ])
  })

  it('searches folders, follows links, and never loops', async () => {
    write('.claude/agents/team/deep/a.md', header('description: d'))
    write('elsewhere/b.md', header('description: d'))
    symlinkSync(at('elsewhere'), at('.claude/agents/linked'))
    symlinkSync('..', at('.claude/agents/team/up'))
    symlinkSync('.', at('.claude/agents/self'))
    symlinkSync(root, at('.claude/agents/root'))
    symlinkSync('missing.md', at('.claude/agents/dangling.md'))
    symlinkSync('loop.md', at('.claude/agents/loop.md'))
    symlinkSync('nowhere', at('.claude/agents/folder'))
    const { agents, files } = await load()
    expect(agents.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(
      files
        .filter(({ status }) => status === 'failed')
        .map((file) => [path.basename(file.path), file.diagnostics[0]?.code]),
    ).toEqual([
      ['dangling.md', 'file-unreadable'],
      ['loop.md', 'file-unreadable'],
    ])
  })

  it('a file that is found twice is one agent', async () => {
    write('.claude/agents/a.md', header('description: d'))
    mkdirSync(at('.github/agents'), { recursive: true })
    symlinkSync(at('.claude/agents/a.md'), at('.github/agents/a.agent.md'))
    symlinkSync('a.md', at('.claude/agents/b.md'))
    symlinkSync(at('.claude'), at('.opencode'))
    const { agents, diagnostics } = await load()
    expect(agents.map(({ source }) => source?.path)).toEqual([at('.github/agents/a.agent.md')])
    expect(diagnostics).toEqual([])
    const sameFolder = await loadAgents({ project: root, userHome: root })
    expect([sameFolder.agents.length, sameFolder.diagnostics]).toEqual([1, []])
  })

  it.skipIf(process.platform === 'win32')('a pipe among the files blocks nothing', async () => {
    write('.claude/agents/a.md', header('description: d'))
    execFileSync('mkfifo', [at('.claude/agents/pipe.md')])
    symlinkSync('pipe.md', at('.claude/agents/link.md'))
    mkdirSync(at('.claude/agents/folder.md'))
    expect(await names()).toEqual(['a'])
  })

  it.skipIf(process.getuid?.() === 0)('reports unreadable files', async () => {
    write('.claude/agents/a.md', header('description: d'))
    write('.claude/agents/closed/b.md', header('description: d'))
    chmodSync(at('.claude/agents/a.md'), 0)
    chmodSync(at('.claude/agents/closed'), 0)
    const { diagnostics } = await load()
    chmodSync(at('.claude/agents/closed'), 0o755)
    expect(diagnostics.map(({ code }) => code)).toEqual(['folder-unreadable', 'file-unreadable'])
  })

  it('missing folders and files of other kinds are no problem', async () => {
    write('.github/agents/notes.txt', 'x')
    write('.github/chatmodes/notes.md', '# x')
    write('.cadre/templates/readme.md', 'x')
    write('.claude/agents', 'a file')
    write('.vscode/settings.json', '{"editor.tabSize": 2}')
    expect(await load()).toEqual({ agents: [], files: [], diagnostics: [] })
  })

  inDeep('does not search a whole disk', async () => {
    mkdirSync(at('many'))
    for (let index = 0; index < 10_050; index++) writeFileSync(at(`many/${index}`), '')
    mkdirSync(at('.claude/agents'), { recursive: true })
    symlinkSync(at('many'), at('.claude/agents/many'))
    expect((await load()).diagnostics).toMatchObject([{ code: 'too-many-files', path: at('.claude/agents') }])
  })
})

describe('the bytes of a file', () => {
  it('that are not UTF-8 are reported with their line, and not repaired', async () => {
    write('.claude/agents/a.md', Buffer.from(header('name: a\ndescription: caf\xe9: x'), 'latin1'))
    const { agents, files } = await load()
    expect(agents[0]?.description).toBe('caf\ufffd: x')
    expect(files).toMatchObject([
      { status: 'rescued', diagnostics: [{ code: 'value-unquoted' }, { code: 'not-utf-8', line: 3 }] },
    ])
  })

  it('may be UTF-16, with a byte order mark', async () => {
    const text = header('name: Plänerin\ndescription: d\ntools: [read]')
    const little = Buffer.from(`\ufeff${text}`, 'utf16le')
    write('.claude/agents/a.md', little)
    write('.claude/agents/b.md', Buffer.from(little).swap16())
    const { agents, files } = await load()
    expect(agents).toMatchObject([{ name: 'Plänerin', tools: { names: ['read'] }, prompt: 'Do it.' }])
    expect(files.map(({ status }) => status)).toEqual(['rescued', 'failed'])
  })

  inDeep(
    'do not affect the others, nor does a YAML bomb',
    async () => {
      const bomb = [
        'a: &a [x,x,x,x,x,x,x,x,x]',
        ...'bcdefghi'
          .split('')
          .map(
            (letter, index) => `${letter}: &${letter} [${Array(9).fill(`*${'abcdefgh'[index]}`).join(',')}]`,
          ),
      ].join('\n')
      write('.claude/agents/bomb.md', header(bomb))
      write('.claude/agents/self.md', header('a: &a [*a]'))
      write('.claude/agents/deep.md', header(`a: ${'['.repeat(200_000)}`))
      write('.claude/agents/nested.md', header(`a: ${'['.repeat(150)}${']'.repeat(150)}`))
      write(
        '.claude/agents/keys.md',
        header(`name: keys\n${Array.from({ length: 15_000 }, (_, index) => `k${index}: v`).join('\n')}`),
      )
      write('.claude/agents/huge.md', Buffer.alloc(2_000_000, '-'))
      write('.claude/agents/ok.md', header('description: d'))
      const { agents, files } = await load()
      expect(agents.map(({ name }) => name)).toEqual(['keys', 'ok'])
      expect(files.filter(({ status }) => status === 'failed')).toHaveLength(5)
    },
    30_000,
  )
})

describe('templates', () => {
  it.each([
    ['a colon', 'id: a\nsystem_prompt: Do: it\ncapabilities: [read]\n', ['value-unquoted:2']],
    [
      'a code block',
      '```yaml\nid: a\nsystem_prompt: "Do: it"\ncapabilities: [read]\n```\n',
      ['header-fenced:1'],
    ],
    [
      'two documents',
      'id: a\nsystem_prompt: "Do: it"\ncapabilities: [read]\n---\nid: b\n',
      ['yaml-documents:4'],
    ],
    [
      'a byte order mark and a document start',
      '\ufeff---\nid: a\nsystem_prompt: Do: it\ncapabilities: [read]\n',
      ['value-unquoted:3'],
    ],
  ])('with %s are rescued', async (_, text, codes) => {
    write('.cadre/templates/a.agent.yaml', text)
    const { agents, files } = await load()
    expect(agents).toMatchObject([{ name: 'a', prompt: 'Do: it', tools: { kind: 'list', names: ['read'] } }])
    expect(files[0]?.status).toBe('rescued')
    const said = files[0]?.diagnostics.map(({ code, line }) => `${code}:${line}`)
    expect(said?.filter((code) => !code.startsWith('description'))).toEqual(codes)
  })

  it.each([
    ['nothing', '', 'not-an-agent'],
    ['something else', 'services:\n  web: {}\n', 'not-an-agent'],
    ['another kind', 'apiVersion: v1\nkind: Skill\nmetadata: {description: d}\n', 'not-an-agent'],
    ['a list', '- a\n', 'header-shape'],
    ['a bad limit', 'id: a\nmax_turns: x\n', 'wrong-value'],
  ])('%s is not an agent', async (_, text, code) => {
    write('.cadre/templates/a.yaml', text)
    const { files } = await load()
    expect(files.map(({ status }) => status)).toEqual(['failed'])
    expect(files[0]?.diagnostics.find(({ severity }) => severity === 'error')?.code).toBe(code)
  })

  it('never lose a restriction', async () => {
    for (const text of [
      'id: a\nsystem_prompt: x\ntols: [read]\n',
      'id: a\nsystem_prompt: x\n---\ntools: [read]\n',
      'apiVersion: v1\nkind: Agent\nmetadata:\n  description: a: b\n  tools: [read]\nspec: {system_prompt: x}\n',
      'apiVersion: v1\nkind: Agent\nmetadata:\n  description: d\n  tools: [read\nspec: {system_prompt: x}\n',
    ]) {
      write('.cadre/templates/a.yaml', text)
      const [agent] = (await load()).agents
      expect(agent?.tools.kind).toBe('list')
    }
  })
})

describe('files in a repository', () => {
  it('do not reach outside: links that point outside are listed and not followed', async () => {
    const elsewhere = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-elsewhere-')))
    try {
      for (const name of ['file', 'in-folder', 'in-place'])
        writeFileSync(path.join(elsewhere, `${name}.md`), header(`name: ${name}\ndescription: d`))
      write('.github/agents/own.md', header('description: d'))
      symlinkSync('own.md', at('.github/agents/inside.md'))
      symlinkSync(path.join(elsewhere, 'file.md'), at('.github/agents/file.md'))
      symlinkSync(elsewhere, at('.github/agents/folder'))
      mkdirSync(at('.claude'))
      symlinkSync(elsewhere, at('.claude/agents'))
      mkdirSync(at('user/.claude'), { recursive: true })
      symlinkSync(elsewhere, at('user/.claude/agents'))
      const { agents, diagnostics } = await load()
      // Links in the user's own folder are theirs.
      expect(agents.map(({ name, source }) => [name, path.relative(root, source?.path ?? '')])).toEqual([
        ['file', 'user/.claude/agents/file.md'],
        ['in-folder', 'user/.claude/agents/in-folder.md'],
        ['in-place', 'user/.claude/agents/in-place.md'],
        ['inside', '.github/agents/inside.md'],
      ])
      const outside = diagnostics.filter(({ code }) => code === 'link-outside')
      expect(outside.map((one) => path.relative(root, one.path))).toEqual([
        '.claude/agents',
        '.github/agents/file.md',
        '.github/agents/folder',
      ])
    } finally {
      rmSync(elsewhere, { recursive: true, force: true })
    }
  })

  it('an unusable file keeps its name: nothing from a lower level replaces it', async () => {
    write('.claude/agents/reviewer.md', header('name: reviewer\ndescription: d'))
    write('.claude/agents/builder.md', header('name: builder\ndescription: d'))
    write('.github/agents/reviewer.agent.md', header('description: d\ntools: [read]\nmax-turns: five'))
    write('.github/agents/01-build.agent.md', header('name: builder\ndescription: d\nmax-turns: five'))
    const { agents, files } = await load()
    expect(agents).toEqual([])
    expect(
      files.filter(({ shadowedBy }) => shadowedBy !== undefined).map((file) => path.basename(file.path)),
    ).toEqual(['builder.md', 'reviewer.md'])
    // The same with a built-in agent, and with a file that is not an agent at all.
    rmSync(at('.claude'), { recursive: true })
    write('.github/agents/reviewer.agent.md', '')
    const builtIns = [{ name: 'reviewer', description: 'd', prompt: '', tools: { kind: 'all' } as const }]
    expect((await loadAgents({ project: root, builtIns })).agents).toEqual([])
    // Another file in the same place may define the agent.
    write('.github/agents/other.agent.md', header('name: reviewer\ndescription: d'))
    expect((await loadAgents({ project: root, builtIns })).agents.map(({ name }) => name)).toEqual([
      'reviewer',
    ])
  })

  it('prompts, instructions and skills next to agents are not agents', async () => {
    for (const file of ['a.prompt.md', 'b.instructions.md', 'SKILL.md', 'c.agent.md'])
      write(`.github/agents/${file}`, header('description: d\ntools: [read]'))
    expect(await names()).toEqual(['c'])
  })

  it('a mark in one file names the entry agent; in two it has no effect', async () => {
    const marked = header("description: d\nmetadata:\n  cadre-entry: 'true'")
    write('.github/agents/a.agent.md', header('description: d'))
    write('.github/agents/b.agent.md', marked)
    expect((await load()).entry).toBe('b')
    write('.github/agents/c.agent.md', marked)
    expect((await load()).entry).toBeUndefined()
  })
})
