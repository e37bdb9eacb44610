import { defineTool, object, optional, type PermissionRule, string, type Tool } from '@cadre/core'
import { call, createTestTeam, say } from '@cadre/testing'
import { createTools } from '@cadre/tools'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const done: string[] = []
const shell = defineTool({
  name: 'execute_command',
  description: 'Runs a command',
  class: 'execute',
  effect: 'execute',
  input: object({ command: string('The command'), cwd: optional(string('Where')) }),
  async run({ command }) {
    done.push(command)
    return { content: `ran ${command}` }
  },
}) as Tool
const plain = defineTool({
  name: 'ring',
  description: 'Has nothing to be about',
  class: 'message',
  effect: 'outbound',
  input: object({}),
  run: async () => ({ content: 'rang' }),
}) as Tool
/** Reaches the network like `web_fetch`, and writes a file. */
const download = defineTool({
  name: 'download',
  description: 'Saves a page',
  class: 'web',
  effect: 'outbound',
  input: object({ from: string('The address'), to: string('The file') }),
  address: ({ from }) => from,
  paths: ({ to }) => [to],
  run: async () => ({ content: 'saved' }),
}) as Tool
/** The real tools without their effects. */
const harmless = createTools().map((tool): Tool => ({ ...tool, run: async () => ({ content: 'did it' }) }))
const tools = [...harmless, shell, plain, download]

const otherTools = tools.filter(({ name }) => name !== 'web_fetch')
/** A user's own tool, which declares no address. */
const ownFetch = defineTool({
  name: 'web_fetch',
  description: 'Fetches',
  class: 'other',
  effect: 'outbound',
  input: object({ url: optional(string('The address')), page: optional(string('The address')) }),
  run: async () => ({ content: 'fetched' }),
}) as Tool

/** Addresses that all reach evil.test. */
const spellings = [
  'https://evil.test/x',
  'https://evil.test./x',
  'https://evil.test../x',
  'https://EVIL.Test/x',
  'https://evil.test:443/x',
  'HTTPS:evil.test/x',
  'https:\\\\evil.test\\x',
  'https://docs.test@evil.test/x',
  'https://docs.test:pw@evil.test./x',
  'https://e%76il.test/x',
  'https://evil。test/x',
  'https://ＥＶＩＬ.test/x',
  'https://ev\u00adil.test/x',
  'ht\ntps://evil\t.test/x',
  ' https://evil.test./x ',
]

type Rules = readonly (readonly [tool: string, pattern: string, action: PermissionRule['action']])[]

async function outcomeOf(
  rules: Rules,
  tool: string,
  input: unknown,
  workspace = '/work/project',
  all = tools,
) {
  const permissions = rules.map(([name, pattern, action]) => ({ tool: name, pattern, action }))
  const team = createTestTeam({
    agents: [
      { name: 'lead', permissions, source: { path: '.claude/agents/lead.md', dialect: 'claude' } },
      { name: 'Explorer' },
      { name: 'builder' },
    ],
    tools: all,
    lanes: {
      lead: [call([tool, input]), say('ok')],
      Explorer: [say('seen')],
      builder: [say('built')],
    },
  })
  const result = await team.run({ agent: 'lead', workspace })
  if (result.kind === 'waiting') return 'ask'
  const entry = (await team.engine.read(result.report.session))?.entries.find(
    (one) => one.role === 'tool_result',
  )
  if (entry?.role !== 'tool_result') return 'nothing'
  if (entry.outcome === 'refused') {
    expect(entry).toMatchObject({ code: 'agent', content: expect.stringContaining('.claude/agents/lead.md') })
    const judged = team.events.find((event) => event.type === 'call.judged')
    expect(judged).toMatchObject({ by: 'agent', rule: 'agent-permissions' })
  }
  return entry.outcome ?? 'done'
}

const write = (path: string) => ['write_file', { path, content: '' }] as const
const run = (command: string) => ['execute_command', { command }] as const
const fetch = (url: string) => ['web_fetch', { url }] as const

describe('the last matching rule applies', () => {
  test.each([
    ['no rule', [], write('a'), 'done'],
    ['all tools', [['*', '*', 'deny']], write('a'), 'refused'],
    ['another tool', [['Bash', '*', 'deny']], write('a'), 'done'],
    ['a class', [['edit', '*', 'deny']], write('a'), 'refused'],
    ['a name of another dialect', [['Write', '*', 'deny']], write('a'), 'refused'],
    ['a pattern that does not fit', [['edit', 'src/*', 'deny']], write('docs/a'), 'done'],
    [
      'taken back',
      [
        ['edit', '*', 'deny'],
        ['edit', 'docs/*', 'allow'],
      ],
      write('docs/deep/a.md'),
      'done',
    ],
    [
      'taken back elsewhere',
      [
        ['edit', '*', 'deny'],
        ['edit', 'docs/*', 'allow'],
      ],
      write('src/a'),
      'refused',
    ],
    [
      'forbidden again',
      [
        ['edit', '*', 'deny'],
        ['edit', 'docs/*', 'allow'],
        ['edit', 'docs/x*', 'deny'],
      ],
      write('docs/x'),
      'refused',
    ],
    ['an ask', [['edit', '*', 'ask']], write('a'), 'ask'],
    [
      'an ask taken back',
      [
        ['edit', '*', 'ask'],
        ['edit', '*.md', 'allow'],
      ],
      write('a.md'),
      'done',
    ],
    [
      'two stars are one',
      [
        ['edit', '**', 'deny'],
        ['edit', 'src/**', 'allow'],
      ],
      write('src/a/b'),
      'done',
    ],
    [
      'letters count',
      [
        ['edit', '*', 'deny'],
        ['edit', 'Docs/*', 'allow'],
      ],
      write('docs/a'),
      'refused',
    ],
    ['one letter', [['edit', 'a?.ts', 'deny']], write('ab.ts'), 'refused'],
    ['not two', [['edit', 'a?.ts', 'deny']], write('abc.ts'), 'done'],
    ['no action at all', [['edit', '*', 'permit' as 'allow']], write('a'), 'refused'],
  ] as const)('%s', async (_, rules, [tool, input], outcome) => {
    expect(await outcomeOf(rules, tool, input)).toBe(outcome)
  })
})

describe('paths are compared as resolved, not as written', () => {
  const secret = [['edit', 'secrets/*', 'deny']] as const
  test.each([
    'secrets/key',
    './secrets/key',
    'src/../secrets/key',
    'secrets//key',
    'secrets/deep/key',
    'secrets\\key',
    'src\\..\\secrets\\key',
    '/work/project/secrets/key',
    '/work/project/./src/../secrets/key',
    '../project/secrets/key',
    '/work/elsewhere/../project/secrets/key',
    'secrets',
  ])('%s is denied', async (path) => {
    expect(await outcomeOf(secret, ...write(path))).toBe('refused')
  })
  test.each(['secretsx/key', 'src/secrets/key', '../secrets/key', '/secrets/key'])(
    '%s is not',
    async (path) => {
      expect(await outcomeOf(secret, ...write(path))).toBe('done')
    },
  )

  const docs = [
    ['edit', '*', 'deny'],
    ['edit', 'docs/*', 'allow'],
  ] as const
  test.each(['docs/../src/a', 'docs/../../docs/a', '/docs/a', '../docs/a', 'docs\\..\\src\\a'])(
    '%s is not allowed as below docs',
    async (path) => {
      expect(await outcomeOf(docs, ...write(path))).toBe('refused')
    },
  )
  test('a pattern for the workspace allows nothing outside it', async () => {
    const rules = [
      ['edit', '*', 'deny'],
      ['edit', '*.md', 'allow'],
    ] as const
    expect(await outcomeOf(rules, ...write('a.md'))).toBe('done')
    expect(await outcomeOf(rules, ...write('../other/a.md'))).toBe('refused')
    expect(await outcomeOf(rules, ...write('/etc/a.md'))).toBe('refused')
  })
  test.each([
    [['edit', '/work/project/secrets/*', 'deny'], 'secrets/key'],
    [['edit', './secrets/', 'deny'], 'secrets/key'],
    [['edit', '**/*.pem', 'deny'], 'key.pem'],
    [['edit', '**/*.pem', 'deny'], 'a/b/key.pem'],
  ] as const)('%j matches %s', async (rule, path) => {
    expect(await outcomeOf([rule], ...write(path))).toBe('refused')
  })
  test('the strictest decision of several files applies', async () => {
    const patch = '*** Begin Patch\n*** Add File: a.md\n+x\n*** Add File: secrets/b\n+x\n*** End Patch'
    expect(await outcomeOf(secret, 'apply_patch', { input: patch })).toBe('refused')
    const ask = [
      ['edit', '*.md', 'ask'],
      ['edit', 'secrets/*', 'deny'],
    ] as const
    expect(await outcomeOf(ask, 'apply_patch', { input: patch })).toBe('refused')
  })
  test('on another system', async () => {
    const rules = [
      ['edit', '*', 'deny'],
      ['edit', 'src/*', 'allow'],
    ] as const
    const workspace = 'C:\\Users\\me\\project'
    expect(await outcomeOf(rules, ...write('c:\\users\\..\\Users\\me\\project\\src\\a'), workspace)).toBe(
      'done',
    )
    expect(await outcomeOf(rules, ...write('src\\..\\a'), workspace)).toBe('refused')
    expect(await outcomeOf(rules, ...write('D:\\Users\\me\\project\\src\\a'), workspace)).toBe('refused')
  })
  test('any path that leads into a denied folder is refused', async () => {
    const step = fc.constantFrom('.', 'src', 'src/..', 'a/../b/..', '', './.')
    await fc.assert(
      fc.asyncProperty(fc.array(step), fc.constantFrom('/', '\\', '//'), async (steps, slash) => {
        const back = steps.filter((one) => one === 'src').map(() => '..')
        const path = [...steps, ...back, 'secrets', 'key'].filter((part) => part !== '').join('/')
        expect(await outcomeOf(secret, ...write(path.replaceAll('/', slash)))).toBe('refused')
      }),
      { numRuns: 60 },
    )
  })
})

describe('commands', () => {
  const onlyGit = [
    ['bash', '*', 'deny'],
    ['bash', 'git *', 'allow'],
  ] as const
  test.each([
    ['git status', 'done'],
    ['  git   log  -3 ', 'done'],
    ['git', 'done'],
    ['gitk', 'refused'],
    ['rm x', 'refused'],
    ['git log; rm x', 'refused'],
    ['git log && rm x', 'refused'],
    ['git log | sh', 'refused'],
    ['git log > x', 'refused'],
    ['git log $(rm x)', 'refused'],
    ['git log `rm x`', 'refused'],
    ['git log\nrm x', 'refused'],
    ['(git log)', 'refused'],
  ])('allowed among denied ones: %j is %s', async (command, outcome) => {
    done.length = 0
    expect(await outcomeOf(onlyGit, ...run(command))).toBe(outcome)
    expect(done).toEqual(outcome === 'done' ? [command] : [])
  })

  const noPush = [['bash', 'git push *', 'deny']] as const
  test.each([
    ['git push', 'refused'],
    ['git push --force', 'refused'],
    ['git  push', 'refused'],
    ['git pushx', 'done'],
    ['git status; git push', 'refused'],
    ['true && git push origin', 'refused'],
    ['echo $(git push)', 'refused'],
    ['echo\ngit push', 'refused'],
    ['git status', 'done'],
  ])('denied among allowed ones: %j is %s', async (command, outcome) => {
    expect(await outcomeOf(noPush, ...run(command))).toBe(outcome)
  })

  test('an approval does not bypass it either', async () => {
    const rules = [
      ['bash', '*', 'deny'],
      ['bash', 'git *', 'ask'],
    ] as const
    expect(await outcomeOf(rules, ...run('git log'))).toBe('ask')
    expect(await outcomeOf(rules, ...run('git log; rm x'))).toBe('refused')
  })

  test('text added after a shell operator is not allowed by the text before it', async () => {
    const sign = fc.constantFrom(';', '|', '&', '&&', '||', '\n', '>', '<', '$(', '`', '(', ')')
    await fc.assert(
      fc.asyncProperty(sign, fc.string(), async (between, text) => {
        const rest = `${text}x`
        expect(await outcomeOf(onlyGit, ...run(`git log ${between}${rest}`))).toBe('refused')
      }),
      { numRuns: 80 },
    )
  })
})

describe('addresses, agents, and calls about nothing', () => {
  const docs = [
    ['webfetch', '*', 'deny'],
    ['webfetch', 'https://docs.test/*', 'allow'],
  ] as const
  test.each([
    ['https://docs.test/a', 'done'],
    ['HTTPS://DOCS.test:443/a', 'done'],
    ['https://evil.test/https://docs.test/', 'refused'],
    ['https://docs.test@evil.test/', 'refused'],
    ['https://docs.test.evil.test/', 'refused'],
    ['http://docs.test/', 'refused'],
  ])('%s is %s', async (url, outcome) => {
    expect(await outcomeOf(docs, ...fetch(url))).toBe(outcome)
  })
  test.each(['https://evil.test/', 'https://EVIL.test', 'https://evil.test:443/x', ' https://evil.test/ '])(
    '%j is denied, in any spelling',
    async (url) => {
      expect(await outcomeOf([['web', 'https://evil.test/*', 'deny']], ...fetch(url))).toBe('refused')
    },
  )
  test('a domain', async () => {
    const only = [
      ['WebFetch', '*', 'deny'],
      ['WebFetch', 'domain:docs.test', 'allow'],
    ] as const
    expect(await outcomeOf(only, ...fetch('https://docs.test/x'))).toBe('done')
    expect(await outcomeOf(only, ...fetch('https://a.docs.test/x'))).toBe('refused')
    const not = [['WebFetch', 'domain:evil.test', 'deny']] as const
    expect(await outcomeOf(not, ...fetch('https://a.evil.test/x'))).toBe('refused')
    expect(await outcomeOf(not, ...fetch('https://evil.test.org/x'))).toBe('done')
    expect(await outcomeOf([['web', 'evil.test', 'deny']], ...fetch('https://docs.test/x'))).toBe('done')
    expect(await outcomeOf([['web', 'http*', 'deny']], ...fetch('https://docs.test/x'))).toBe('refused')
  })

  test.each(spellings)('%j is denied, in any spelling of the host', async (url) => {
    for (const pattern of [
      ...['domain:evil.test', 'domain:EVIL.test.', 'domain:evil.test:443', 'DOMAIN: *.evil.test'],
      ...['domain:https://evil.test/', 'domain:user@evil.test', 'domain:ev?l.*', 'domain:', 'domain:a b'],
    ])
      expect(await outcomeOf([['WebFetch', pattern, 'deny']], ...fetch(url)), pattern).toBe('refused')
    for (const pattern of [
      ...['https://evil.test/*', 'https://EVIL.test.:443/*', 'https://me@evil.test/*'],
      ...['evil.test', 'EVIL.test.', 'evil.test:443', 'evil.test/*', 'host:evil.test'],
    ])
      expect(await outcomeOf([['web', pattern, 'deny']], ...fetch(url)), pattern).toBe('refused')
    const only = [
      ['WebFetch', '*', 'deny'],
      ['WebFetch', 'domain:docs.test', 'allow'],
    ] as const
    expect(await outcomeOf(only, ...fetch(url))).toBe('refused')
  })
  test.each([
    ['domain:bücher.example', 'https://xn--bcher-kva.example/'],
    ['domain:xn--bcher-kva.example', 'https://BÜCHER.example/'],
    ['domain:b*ü.example', 'https://docs.test/'],
    ['domain:127.0.0.1', 'http://0x7f.1/'],
    ['domain:127.0.0.1', 'http://2130706433/'],
    ['domain:127.0.0.1', 'http://[::ffff:127.0.0.1]/'],
    ['domain:0177.0.0.1', 'http://127.0.0.1/'],
    ['domain:[::1]', 'http://[0:0:0:0:0:0:0:1]/'],
    ['domain:::1', 'http://[::1]:8080/'],
    ['domain:[::1]:8080', 'http://[::1]/'],
  ])('%s denies %s', async (pattern, url) => {
    expect(await outcomeOf([['WebFetch', pattern, 'deny']], ...fetch(url))).toBe('refused')
  })
  test.each([
    ['domain:docs.test', 'https://docs.test:8443/x', 'done'],
    ['domain:docs.test', 'https://DOCS.test/x', 'done'],
    ['domain:docs.test', 'https://docs.test./x', 'refused'],
    ['domain:docs.test', 'https://me@docs.test/x', 'refused'],
    ['domain:docs.test', 'file://docs.test/x', 'refused'],
    ['domain:docs.test.', 'https://docs.test./x', 'refused'],
    ['domain:docs.test:443', 'https://docs.test/x', 'refused'],
    ['domain:127.0.0.1', 'http://0x7f.1/', 'done'],
    ['domain:127.0.0.1', 'http://[::ffff:127.0.0.1]/', 'refused'],
    ['domain:*', 'https://docs.test/x', 'done'],
    ['domain:*', 'docs.test', 'refused'],
    ['domain:*', 'data:text/plain,x', 'refused'],
    ['http*', 'https://docs.test/x', 'done'],
    ['https://*', 'https://me@docs.test/x', 'refused'],
    ['docs.*', 'docs.test', 'refused'],
    ['*', 'docs.test', 'done'],
  ])('among denied ones, %s allows %s: %s', async (pattern, url, outcome) => {
    const only = [
      ['WebFetch', '*', 'deny'],
      ['WebFetch', pattern, 'allow'],
    ] as const
    expect(await outcomeOf(only, ...fetch(url))).toBe(outcome)
  })
  test.each([
    'evil.test',
    'evil.test:443',
    '//evil.test/',
    'file:///evil.test',
    'file://docs.test/x',
    'data:text/html,evil.test',
    'blob:https://evil.test/x',
    'nonsense',
    'https://',
  ])('%j could be any host, so every restriction of addresses applies', async (url) => {
    for (const pattern of ['domain:evil.test', 'domain:docs.test', 'https://other.test/*'])
      expect(await outcomeOf([['WebFetch', pattern, 'deny']], ...fetch(url)), pattern).toBe('refused')
    expect(await outcomeOf([['WebFetch', 'domain:other.test', 'ask']], ...fetch(url))).toBe('ask')
  })
  test('a rule about a host applies to another tool named web_fetch that declares no address', async () => {
    for (const input of [{ page: 'https://docs.test/' }, { url: 'https://evil.test./' }]) {
      const rules = [['WebFetch', 'domain:evil.test', 'deny']] as const
      expect(await outcomeOf(rules, 'web_fetch', input, undefined, [...otherTools, ownFetch])).toBe('refused')
    }
    const docs = { url: 'https://docs.test/' }
    const rules = [['WebFetch', 'domain:evil.test', 'deny']] as const
    expect(await outcomeOf(rules, 'web_fetch', docs, undefined, [...otherTools, ownFetch])).toBe('done')
  })

  const save = (from: string, to: string) => ['download', { from, to }] as const
  test.each([
    [['WebFetch', 'domain:evil.test', 'deny'], 'refused'],
    [['webfetch', 'https://evil.test/*', 'deny'], 'refused'],
    [['web', 'https://evil.test/*', 'deny'], 'refused'],
    [['WebFetch', 'domain:docs.test', 'deny'], 'done'],
    [['download', 'secret/*', 'deny'], 'refused'],
    [['download', 'src/*', 'deny'], 'done'],
  ] as const)('%j, for another tool that fetches: %s', async (rule, outcome) => {
    expect(await outcomeOf([rule], ...save('https://evil.test/x', 'secret/a'))).toBe(outcome)
  })
  test('a rule that allows one tool to fetch does not allow another one', async () => {
    const only = [
      ['*', '*', 'deny'],
      ['webfetch', '*', 'allow'],
    ] as const
    expect(await outcomeOf(only, ...fetch('https://docs.test/a'))).toBe('done')
    expect(await outcomeOf(only, ...save('https://docs.test/a', 'a'))).toBe('refused')
  })

  const task = (subagent_type: string) => ['Task', { subagent_type, prompt: 'look' }] as const
  const work = (agentName: string) =>
    ['delegateWork', { agentName, workDescription: 'look', reportExpectations: 'all' }] as const
  test('agents, by every way to delegate, ignoring case', async () => {
    const rules = [
      ['task', '*', 'deny'],
      ['task', 'explore*', 'allow'],
    ] as const
    expect(await outcomeOf(rules, ...task('Explorer'))).toBe('done')
    expect(await outcomeOf(rules, ...task('EXPLORER'))).toBe('done')
    expect(await outcomeOf(rules, ...task('builder'))).toBe('refused')
    expect(await outcomeOf(rules, ...work('builder'))).toBe('refused')
  })

  test('a call without a subject matches only rules for everything', async () => {
    expect(await outcomeOf([['ring', '*', 'deny']], 'ring', {})).toBe('refused')
    expect(await outcomeOf([['ring', 'x*', 'deny']], 'ring', {})).toBe('done')
    expect(
      await outcomeOf(
        [
          ['ring', '*', 'deny'],
          ['ring', 'x*', 'allow'],
        ],
        'ring',
        {},
      ),
    ).toBe('refused')
  })

  test('a report is never refused', async () => {
    const team = createTestTeam({
      agents: [
        { name: 'lead' },
        { name: 'worker', permissions: [{ tool: '*', pattern: '*', action: 'deny' }] },
      ],
      tools,
      lanes: { lead: [call(work('worker')), say('ok')], worker: [call(['reportOut', { report: 'r' }])] },
    })
    expect(await team.report({ agent: 'lead' })).toMatchObject({ status: 'completed', sessions: 2 })
    team.models.verify()
  })

  test('what a file allows cannot override other rules', async () => {
    const team = createTestTeam({
      agents: [{ name: 'lead', permissions: [{ tool: '*', pattern: '*', action: 'allow' }] }],
      tools,
      rules: [
        { by: 'policy', name: 'p', judge: () => ({ kind: 'deny', by: 'policy', rule: 'p', reason: 'no' }) },
      ],
      lanes: { lead: [call(write('a')), say('ok')] },
    })
    await team.report({ agent: 'lead' })
    expect(team.events.find((event) => event.type === 'call.settled')).toMatchObject({
      outcome: 'refused',
      code: 'policy',
    })
  })
})
