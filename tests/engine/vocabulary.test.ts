import {
  type AgentDefinition,
  classOf,
  explainUnknownToolName,
  interpretToolName,
  spellingsOf,
  type Tool,
  type ToolMeaning,
} from '@cadre/core'
import { openTaskFiles } from '@cadre/tasks'
import { createTestTeam, say } from '@cadre/testing'
import { createTools } from '@cadre/tools'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ownTools } from '../../packages/core/src/vocabulary/vocabulary-tools.ts'

/** A meaning in one word, for a readable table. */
function short(meaning: ToolMeaning): string {
  switch (meaning.kind) {
    case 'class':
      return `class ${meaning.class}`
    case 'tools':
      return meaning.names.join(' ')
    case 'server':
      return `${meaning.server} → ${meaning.tool ?? 'all'}`
    case 'elsewhere':
      return `elsewhere: ${meaning.host}`
    default:
      return meaning.kind
  }
}

describe('a name has the meaning of its dialect', () => {
  const table: Readonly<Record<string, readonly string[]>> = {
    all: ['*', ' * '],
    'class read': ['read', 'read/*'],
    'class search': ['search', 'Search', 'search/*'],
    'class edit': ['edit', 'edit/*'],
    'class execute': ['execute', 'Execute'],
    'class web': ['web'],
    'class agent': ['agent', 'custom-agent'],
    'class todo': ['todo'],
    read_file: ['Read', 'READ', 'read_file', 'readFile', 'read/readFile', 'view', 'NotebookRead'],
    write_file: ['Write', 'write', 'create', 'create_file', 'createFile', 'edit/createFile', 'write_file'],
    edit_file: [
      'Edit',
      'MultiEdit',
      'editFiles',
      'edit/editFiles',
      'apply_patch',
      'patch',
      'str_replace',
      'insert_edit_into_file',
      'replace_string_in_file',
    ],
    list_directory: ['LS', 'list', 'list_dir', 'search/listDirectory'],
    create_directory: ['create_directory', 'edit/createDirectory'],
    find_files: ['Glob', 'glob', 'file_search', 'search/fileSearch'],
    search_files: [
      'Grep',
      'grep',
      'rg',
      'grep_search',
      'codebase',
      'search/codebase',
      'semantic_search',
      'search/textSearch',
    ],
    view_image: ['view_image', 'read/viewImage'],
    web_fetch: ['WebFetch', 'webfetch', 'fetch', 'web/fetch', 'fetch_webpage'],
    get_errors: ['problems', 'read/problems', 'get_errors'],
    execute_command: [
      'Bash',
      'bash',
      'shell',
      'powershell',
      'runCommands',
      'run_in_terminal',
      'execute/runInTerminal',
      'runInTerminal',
      'execute_command',
    ],
    read_skill: ['Skill', 'skill', 'read_skill'],
    delegate_task: ['Task', 'task', 'Agent', 'runSubagent', 'agent/runSubagent', 'delegate_task'],
    delegateWork: ['delegateWork'],
    reportOut: ['reportOut', 'report_out'],
    todo: ['TodoWrite', 'TodoRead', 'todowrite', 'todos', 'update_todo'],
    create_task: ['create_task'],
    update_task: ['update_task'],
    query_tasks: ['query_tasks'],
    send_message: ['send_message', 'SendMessage'],
    slack_send: ['slack_send'],
    slack_read: ['slack_read'],
    mail_send: ['mail_send'],
    create_team: ['create_team'],
    delete_team: ['delete_team'],
    'context7 → all': ['context7/*', 'mcp__context7', 'mcp__context7__*', 'context7'],
    'context7 → get-library-docs': ['mcp__context7__get-library-docs', 'context7/get-library-docs'],
    'io.github.upstash/context7 → get-library-docs': ['io.github.upstash/context7/get-library-docs'],
    'sequential-thinking → sequentialthinking': ['mcp__sequential-thinking__sequentialthinking'],
    'ms-ossdata.vscode-pgsql → pgsql_query': ['ms-ossdata.vscode-pgsql/pgsql_query', 'pgsql_query'],
    'ide → all': ['ide', 'ide/*', 'mcp__ide'],
    'ide → ide_find_class': ['ide_find_class'],
    'microsoft.docs.mcp → all': ['microsoft.docs.mcp'],
    'Copilot Container Tools → all': ['Copilot Container Tools/*'],
    'elsewhere: VS Code': [
      'terminalLastCommand',
      'runCommands/terminalLastCommand',
      'read/terminalLastCommand',
      'terminalSelection',
      'usages',
      'search/usages',
      'changes',
      'findTestFiles',
      'githubRepo',
      'web/githubRepo',
      'vscodeAPI',
      'vscode/vscodeAPI',
      'new',
      'extensions',
      'openSimpleBrowser',
      'runTests',
      'execute/runTests',
      'execute/getTerminalOutput',
      'testFailure',
      'memory',
      'vscode/askQuestions',
      'edit/rename',
      'search/somethingNew',
      'browser/clickElement',
    ],
    'elsewhere: Claude Code': [
      'BashOutput',
      'KillShell',
      'WebSearch',
      'AskUserQuestion',
      'SlashCommand',
      'ExitPlanMode',
      'websearch',
      'ListMcpResources',
      'NotebookEdit',
    ],
    'elsewhere: Copilot CLI': ['report_intent', 'ask_user', 'web_search'],
    'elsewhere: opencode': ['question', 'external_directory', 'doom_loop'],
    unknown: [
      '',
      'Wirte',
      'list_issues',
      'terraform',
      'Bash(git *)',
      'read, write',
      'use all the tools you need',
      'look here and/or there',
      'constructor',
      '__proto__',
      'toString',
      '/',
      'read_file/',
      '*.ts',
    ],
  }
  test('the table has every tool', () => {
    const missing = Object.keys(ownTools).filter((name) => !Object.hasOwn(table, name))
    expect(missing, 'add a row with the names of the tool').toEqual([])
  })

  test.each(
    Object.entries(table).flatMap(([meaning, names]) => names.map((name) => [name, meaning] as const)),
  )('%j: %s', (name, meaning) => {
    expect(short(interpretToolName(name))).toBe(meaning)
  })

  test('and no text makes it throw, or means everything', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const { kind } = interpretToolName(name)
        expect(kind === 'all').toBe(name.trim() === '*')
      }),
    )
  })
})

test('one table defines the names and classes of the tools, and no name belongs to two', () => {
  const tools = createTools()
  const owners = new Map<string, string>()
  for (const { name, aliases, class: kind } of tools) {
    expect(aliases).toEqual(spellingsOf(name))
    expect(classOf(name), `the class of ${name} in vocabulary-tools.ts`).toBe(kind)
    for (const spelling of [name, ...spellingsOf(name)]) {
      expect(interpretToolName(spelling)).toEqual({ kind: 'tools', names: [name] })
      expect(owners.get(spelling.toLowerCase()) ?? name).toBe(name)
      owners.set(spelling.toLowerCase(), name)
    }
  }
})

describe('what an agent gets', () => {
  const own = (name: string, more: Partial<Tool> = {}): Tool => ({
    ...(createTools()[0] as Tool),
    name,
    origin: 'custom',
    aliases: [],
    ...more,
  })
  const offered = async (agent: Partial<AgentDefinition>, tools: readonly Tool[]) => {
    const team = createTestTeam({
      agents: [{ name: 'lead', ...agent }, { name: 'other' }],
      tools,
      lanes: { lead: [say('hi')] },
    })
    const { notices = [] } = await team.report({ agent: 'lead' })
    return {
      names: team.models.requests[0]?.tools.map((tool) => tool.name) ?? [],
      notices: notices.map((notice) => notice.message),
    }
  }
  const ofClass = (wanted: string) =>
    createTools().flatMap((tool) => (tool.class === wanted ? tool.name : []))
  const list = (...names: string[]) => ({ tools: { kind: 'list', names } as const })

  test.each([
    [
      ['Read', 'Grep'],
      ['Read', 'Grep'],
    ],
    [['read'], ofClass('read')],
    // Names offered to a model must be valid for servers.
    [
      ['search/codebase', 'edit/createFile', 'web/fetch'],
      ['codebase', 'createFile', 'fetch'],
    ],
    [['read/problems', 'microsoft.docs.mcp'], ['problems']],
    [['agent/runSubagent'], ['runSubagent']],
    [['task'], ['task']],
    [['agent'], ['delegateWork', 'delegate_task']],
    [['terminalLastCommand', 'usages', 'Bash', 'github/*', 'TodoWrite'], ['Bash']],
    [['Wirte', 'tools: all', '* '.repeat(2)], []],
    // An agent's own to-do list does not permit delegating work.
    [['todo', 'todos', 'read/readFile'], ['readFile']],
  ] as const)('%j grants %j', async (names, expected) => {
    expect(
      (await offered(list(...names), createTools({ tasks: openTaskFiles({ folder: '/nowhere/tasks' }) })))
        .names,
    ).toEqual(expected)
  })

  test('only unknown names are reported', async () => {
    const { notices } = await offered(
      { ...list('Read', 'Wirte', 'runTests', 'github/*', 'Bash'), disallowedTools: ['Gerp', 'mcp__x'] },
      createTools(),
    )
    expect(notices.map((notice) => /"(.*?)"/.exec(notice)?.[1])).toEqual(['Wirte', 'Gerp'])
  })

  test('a person’s tool takes precedence over a dialect’s meaning of its name', async () => {
    const tools = [
      own('fetch', { class: 'read' }),
      ...createTools().map((tool) => ({ ...tool, aliases: [] })),
    ]
    expect((await offered(list('fetch'), tools)).names).toEqual(['fetch'])
    // A class name stays one, and includes the tool with that name.
    const search = own('search', { class: 'read' })
    expect((await offered(list('search'), [search, ...createTools()])).names).toEqual([
      'search',
      ...ofClass('search'),
    ])
  })

  const served = ['mcp__docs__find', 'mcp__docs__read', 'mcp__other__find'].map((name) => own(name))
  test.each([
    [['docs/*'], ['mcp__docs__find', 'mcp__docs__read']],
    [['mcp__docs'], ['mcp__docs__find', 'mcp__docs__read']],
    [['mcp__docs__*'], ['mcp__docs__find', 'mcp__docs__read']],
    [['docs'], ['mcp__docs__find', 'mcp__docs__read']],
    [['docs/find'], ['mcp__docs__find']],
    [['mcp__docs__r*'], ['mcp__docs__read']],
    [['doc/*', 'mcp__doc__find'], []],
  ] as const)('tools of servers: %j grants %j, and denies it', async (names, expected) => {
    expect((await offered(list(...names), served)).names).toEqual(expected)
    const rest = await offered({ disallowedTools: names, delegates: { kind: 'none' } }, served)
    expect(rest.names).toEqual(
      served.map((tool) => tool.name).filter((name) => !(expected as readonly string[]).includes(name)),
    )
  })

  const ofIde = ['ide_find_class', 'mcp__ide__getDiagnostics', 'idea', 'video_ide_x'].map((name) => own(name))
  test('ide means every tool of the IDE, when granted and when denied', async () => {
    const given = await offered(list('ide', 'read_file'), [...ofIde, ...createTools()])
    expect(given.names).toEqual(['ide_find_class', 'mcp__ide__getDiagnostics', 'read_file'])
    const rest = await offered({ disallowedTools: ['ide'], delegates: { kind: 'none' } }, ofIde)
    expect(rest.names).toEqual(['idea', 'video_ide_x'])
    expect((await offered(list('ide'), createTools())).notices).toEqual([])
  })

  test.each([
    ['edit', ofClass('edit')],
    ['Edit', ['edit_file', 'create_directory']],
    ['MultiEdit', ['edit_file']],
    ['Write', ['write_file', 'create_directory']],
    ['write_file', ['write_file']],
    ['edit_file', ['edit_file']],
    ['search/*', ofClass('search')],
    // Denying delegation by its only name in another host denies all of it.
    ['Task', ['delegateWork', 'delegate_task']],
    ['Agent', ['delegateWork', 'delegate_task']],
    ['agent', ['delegateWork', 'delegate_task']],
    ['delegate_task', ['delegate_task']],
    ['delegateWork', ['delegateWork']],
  ] as const)('denying %s removes %j', async (name, gone) => {
    const all = (await offered({}, createTools())).names
    const rest = (await offered({ disallowedTools: [name] }, createTools())).names
    expect(all.filter((one) => !rest.includes(one))).toEqual(gone)
  })

  test('names of Claude Code deny every tool that changes files, or fetches, also one without a name there', async () => {
    const address = () => 'https://docs.test/'
    const of = (name: string, more: Partial<Tool>) => own(name, { origin: 'built-in', ...more })
    const tools = [
      ...createTools({ tasks: openTaskFiles({ folder: '/nowhere/tasks' }), home: '/nowhere' }),
      of('move_file', { class: 'edit', effect: 'write' }),
      of('head_page', { class: 'web', effect: 'outbound', address }),
    ]
    const { names } = await offered({ disallowedTools: ['Write', 'Edit', 'WebFetch'] }, tools)
    const expected = tools.filter((tool) => tool.class !== 'edit' && tool.class !== 'web' && !tool.onlyNamed)
    expect(names.filter((name) => !/^delegate/.test(name))).toEqual(expected.map(({ name }) => name))
    expect(names).toContain('read_file')
    expect(names).not.toContain('create_directory')
  })

  test('denying everything leaves nothing', async () => {
    expect((await offered({ disallowedTools: ['*'] }, createTools())).names).toEqual([])
  })

  test('more names in a list of denied tools never grant more', async () => {
    const tools = createTools()
    const names = fc.constantFrom(
      'read',
      'Read',
      'Edit',
      'edit',
      'Task',
      'agent',
      'web',
      'codebase',
      'Bash',
      'nonsense',
      'docs/*',
      '*',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(names), fc.array(names), names, async (given, forbidden, one) => {
        const before = await offered({ ...list(...given), disallowedTools: forbidden }, tools)
        const after = await offered({ ...list(...given), disallowedTools: [...forbidden, one] }, tools)
        expect(before.names).toEqual(expect.arrayContaining(after.names))
      }),
      { numRuns: 60 },
    )
  })
})

describe('a tool name that a person denies', () => {
  const tools = createTools({})
  const agent = { mcpServers: { warehouse: {} } } as unknown as AgentDefinition

  test.each([
    ...['*', 'edit', 'write_file', 'WRITE_FILE', 'Write', 'edit/editFiles', 'runCommands', 'delegate_task'],
    ...['vscodeAPI', 'vscode/vscodeAPI', 'NotebookEdit', 'github/*', 'mcp__warehouse__query', 'warehouse/*'],
  ])('%s is known', (name) => {
    expect(explainUnknownToolName(name, { tools, agents: [agent] })).toBeUndefined()
  })

  test.each([
    ['writ_file', 'Did you mean write_file'],
    ['writ*', 'Did you mean Write'],
    ['edit/editFils', 'Did you mean edit/editFiles'],
    ['warehose/*', 'Did you mean warehouse'],
    ['mcp__nowhere__query', 'there is no MCP server named "nowhere"'],
    ['', 'named ""'],
  ])('%j matches nothing', (name, hint) => {
    expect(explainUnknownToolName(name, { tools, agents: [agent] })).toContain(hint)
  })
})
