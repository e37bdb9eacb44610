import type { AgentDefinition } from '@cadre/core'
import { describe, expect, it } from 'vitest'
import { readAgentText } from './read-agent-text.ts'
import type { ParsedAgent } from './read-definition.ts'

const claude = '/project/.claude/agents/sample.md'
const copilot = '/project/.github/agents/sample.agent.md'
const read = (text: string, path = claude) => readAgentText({ path, text })
const codesOf = ({ diagnostics }: ParsedAgent) => diagnostics.map(({ code, line }) => `${code}:${line}`)

const keys = 'name: a\ndescription: d\ntools: [read]'
const good = `---\n${keys}\n---\nBody\n`
const inHeader = (header: string) => `---\n${header}\n---\nBody\n`
const expected = { name: 'a', description: 'd', tools: { kind: 'list', names: ['read'] }, prompt: 'Body' }

/** Expects that a rescued file is reported, and that its repair gives the same agent without a rescue. */
function expectRescue(
  text: string,
  codes: readonly string[],
  repaired: string | undefined,
  path = claude,
): AgentDefinition {
  const result = read(text, path)
  expect(codesOf(result)).toEqual(codes)
  expect(result.diagnostics.every(({ fix }) => fix !== undefined)).toBe(true)
  expect(result.rescued).toBe(true)
  expect(result.repaired).toBe(repaired)
  if (repaired !== undefined) {
    const again = read(repaired, path)
    expect(again.rescued).toBeUndefined()
    expect({ ...again.agent, source: undefined }).toEqual({ ...result.agent, source: undefined })
  }
  return result.agent as AgentDefinition
}

describe('a well-formed file', () => {
  it('is read without diagnostics', () => {
    expect(read(good)).toEqual({
      agent: { ...expected, source: { path: claude, dialect: 'claude', line: 2 } },
      diagnostics: [],
      dialect: 'claude',
    })
  })

  it.each([
    ['Windows line endings', good.replaceAll('\n', '\r\n')],
    ['spaces after the dashes', good.replaceAll('---', '---  ')],
    ['no line ending at the end', good.trimEnd()],
    ['a list in the next lines, brackets at the margin', good.replace('[read]', '[\n  read\n]')],
    ['a block list', good.replace('[read]', '\n  - read')],
    ['a block list at the margin', good.replace('[read]', '\n- read')],
    ['a quoted key', good.replace('tools', '"tools"')],
    ['another case', good.replace('tools', 'Tools')],
    ['a text of several lines', good.replace('description: d', 'description: >-\n  d')],
    ['an anchor', good.replace('[read]', '&tools [read]')],
    ['an alias', good.replace('tools: [read]', 'x: &t [read]\ntools: *t')],
    ['a merged mapping', good.replace('tools: [read]', 'x: &t {tools: [read]}\n<<: *t')],
    ['a comment with dashes', good.replace('tools', '# ---\ntools')],
    ['all keys indented', inHeader(keys.replaceAll(/^/gm, '  '))],
  ])('%s', (_, text) => {
    const { agent, diagnostics, rescued } = read(text)
    expect(agent).toMatchObject(expected)
    expect([diagnostics, rescued]).toEqual([[], undefined])
  })

  it('only mentions a byte order mark', () => {
    const result = read(`\ufeff${good}`)
    expect([codesOf(result), result.rescued]).toEqual([['byte-order-mark:1'], undefined])
    expect(result.agent).toMatchObject(expected)
  })

  it('dashes end a header only on their own line, and a second header is part of the body', () => {
    const text = `---\ndescription: a --- b\nnote: |\n  ---\n  x\ntools: [read] # ---\n---\n\n---\nname: other\ntools: [edit]\n---\n`
    expect(read(text)).toMatchObject({
      diagnostics: [],
      agent: {
        description: 'a --- b',
        tools: { names: ['read'] },
        unknown: { note: '---\nx\n' },
        prompt: '---\nname: other\ntools: [edit]\n---',
      },
    })
  })

  it('reports what YAML reads differently than intended', () => {
    expect(codesOf(read(inHeader('description: Fixes #12\nname: “a”')))).toEqual([
      'value-cut:2',
      'smart-quotes:3',
    ])
    expect(codesOf(read(inHeader('description: Fixes # and more')))).toEqual([])
  })
})

describe('the position of the header', () => {
  it.each([
    ['only carriage returns', good.replaceAll('\n', '\r'), ['line-ends:1'], `---\n${keys}\n---\nBody\r`],
    ['some carriage returns', good.replace('a\n', 'a\r'), ['line-ends:2'], good],
    ['blank lines before it', `\n \n${good}`, ['header-late:1'], good],
    [
      'HTML comments before it',
      `<!-- made by\nhand -->\n${good}`,
      ['header-late:1'],
      good.replace('name', '# <!-- made by\n# hand -->\nname'),
    ],
    ['a heading before it', `# Title\n\n${good}`, ['header-late:1'], good.replace('name', '# Title\nname')],
    ['a code block around the file', `\`\`\`\`chatagent\n${good}\`\`\`\`\n`, ['header-fenced:1'], good],
    ['tildes around the file', `~~~markdown\n${good}~~~`, ['header-fenced:1'], good],
    [
      'a code block around it, and one in it',
      `\`\`\`md\n${good}\`\`\`js\nx\n\`\`\`\n\`\`\`\n`,
      ['header-fenced:1'],
      `${good}\`\`\`js\nx\n\`\`\`\n`,
    ],
    [
      'a code block that is not closed',
      `\`\`\`md\n${good}\`\`\`js\nx\n\`\`\`\n`,
      ['header-fenced:1'],
      `${good}\`\`\`js\nx\n\`\`\`\n`,
    ],
    [
      'a code block around the header',
      `\`\`\`yaml\n---\n${keys}\n---\n\`\`\`\nBody\n`,
      ['header-fenced:1'],
      good,
    ],
    [
      'a code block for dashes',
      `\`\`\`yaml\n${keys}\n\`\`\`\nBody\n`,
      ['header-fenced:1', 'header-unopened:2'],
      good,
    ],
    ['no dashes before it', `${keys}\n---\nBody\n`, ['header-unopened:1'], good],
    ['no dashes after it', `---\n${keys}\n\nBody\n`, ['header-unclosed:5'], `---\n${keys}\n---\n\nBody\n`],
    [
      'no dashes after it, and a horizontal rule in the text',
      `---\n${keys}\n\n# Title\n\nBody\n\n---\nEnd`,
      ['header-unclosed:5'],
      `---\n${keys}\n---\n\n# Title\n\nBody\n\n---\nEnd`,
    ],
    [
      'no dashes at all',
      `${keys}\n\nBody\n`,
      ['header-unopened:1', 'header-unclosed:4'],
      `---\n${keys}\n---\n\nBody\n`,
    ],
    ['other dashes', good.replaceAll('---', '——'), ['header-opening:1'], good],
    ['more dashes', good.replaceAll('---', '-----'), ['header-opening:1'], good],
    ['dashes twice', `---\n\n${good}`, ['header-opening:1'], good],
    ['dashes and a key on one line', good.replace('---\n', '--- '), ['header-opening:1'], good],
    ['the language', good.replace('---', '---yaml'), ['header-opening:1'], good],
    [
      'an indented file',
      good.replaceAll(/^(?=.)/gm, '    '),
      ['header-indented:1'],
      good.replace('Body', '    Body'),
    ],
  ])('%s', (_, text, codes, repaired) => {
    const { name, description, tools } = expectRescue(text, codes, repaired)
    expect({ name, description, tools }).toEqual({ name: 'a', description: 'd', tools: expected.tools })
  })

  it('a rescue keeps comments, unknown keys, the body and line endings', () => {
    const text =
      '# about\r\nname: a # here\r\nx-y: {b: 1}\r\ndescription: Use: it\r\n\r\n# the end\r\n---\r\n\r\n  Body\r\n\ttab  \r\n'
    const agent = expectRescue(
      `---\r\n${text}`,
      ['value-unquoted:5'],
      `---\r\n${text.replace('Use: it', "'Use: it'")}`,
    )
    expect(agent).toMatchObject({
      description: 'Use: it',
      unknown: { 'x-y': { b: 1 } },
      prompt: 'Body\n\ttab',
    })
  })

  it.each([
    ['nothing', '', 'file-empty', 1],
    ['only blank lines', '\n\n', 'file-empty', 1],
    ['no header', '# Notes\n\nText: here\n', 'header-missing', 1],
    ['horizontal rules in the text', '# Notes\n\n---\n\nText\n\n---\n', 'header-missing', 1],
    ['a rule first', '---\n\nText\n', 'header-missing', 1],
    ['a header in a code block of the text', `# How to\n\n\`\`\`\n${good}\`\`\`\n`, 'header-missing', 1],
    ['a language to evaluate', '---js\nglobalThis.pwned = 1\n---\n', 'header-language', 1],
    ['prose', inHeader('Some text'), 'header-shape', 2],
    ['a list', inHeader('- a'), 'header-shape', 2],
    ['keys of another kind of file', inHeader('title: Notes\nNote: this'), 'not-an-agent', 2],
    ['no keys', inHeader('# nothing'), 'not-an-agent', 2],
    ['a header without end', inHeader(`a: ${'['.repeat(70_000)}`), 'yaml-too-large', 2],
  ])('%s: not an agent, with the reason', (_, text, code, line) => {
    const result = read(text)
    expect(result.agent).toBeUndefined()
    expect(result.diagnostics[0]).toMatchObject({ path: claude, code, line, severity: 'error' })
    expect(globalThis).not.toHaveProperty('pwned')
  })

  it('a file without a header is an agent if its host accepts it', () => {
    for (const path of ['/p/.opencode/agent/a.md', '/p/.opencode/agent/deep/a.md']) {
      const { agent, diagnostics, rescued } = read('# Plan\n\nPlan it.\n', path)
      expect(agent).toMatchObject({
        name: 'a',
        description: '',
        prompt: '# Plan\n\nPlan it.',
        tools: { kind: 'all' },
      })
      expect(diagnostics[0]).toMatchObject({ code: 'header-missing', severity: 'warning' })
      expect(rescued).toBeUndefined()
    }
    for (const path of [
      '/p/.github/agents/a.agent.md',
      '/p/.github/agents/a.md',
      '/p/agents/a.agent.md',
      '/p/.github/chatmodes/a.chatmode.md',
      '/p/a.md',
    ])
      expect(read('# Plan\n', path)).toMatchObject({
        diagnostics: [{ code: 'header-missing', severity: 'error' }],
      })
    for (const path of [copilot, '/p/.opencode/agents/a.md']) {
      expect(read('', path).agent).toBeUndefined()
      expect(read('---js\nx\n---\n', path).agent).toBeUndefined()
    }
  })

  it('notes for people are not agents, unless their header says so', () => {
    for (const name of ['README.md', 'AGENTS.md', 'CLAUDE.md', 'SKILL.md', 'readme.de.md']) {
      for (const text of ['# Notes', '---\ntitle: x\n---\n', ''])
        expect(read(text, `/p/.github/agents/${name}`)).toEqual({
          diagnostics: [],
          ignored: true,
          dialect: 'copilot',
        })
      expect(read(good, `/p/.github/agents/${name}`).agent).toMatchObject(expected)
    }
  })
})

describe('a value that is not YAML', () => {
  it.each([
    ['Use: this', 'Use: this', "'Use: this'", 'value-unquoted'],
    ['Use: this #1 # too', 'Use: this #1 # too', "'Use: this #1 # too'", 'value-unquoted'],
    ['Examples:', 'Examples:', "'Examples:'", 'value-unquoted'],
    ['*bold* text', '*bold* text', "'*bold* text'", 'value-unquoted'],
    ['*bold', '*bold', "'*bold'", 'value-unquoted'],
    ['!important', '!important', "'!important'", 'value-unquoted'],
    ['!!js/function "x"', '!!js/function "x"', `'!!js/function "x"'`, 'value-unquoted'],
    ['&x: y', '&x: y', "'&x: y'", 'value-unquoted'],
    ['%x', '%x', "'%x'", 'value-unquoted'],
    ['@x', '@x', "'@x'", 'value-unquoted'],
    ['`x` it', '`x` it', "'`x` it'", 'value-unquoted'],
    ['> x', '> x', "'> x'", 'value-unquoted'],
    ['- x', '- x', "'- x'", 'value-unquoted'],
    ['[Draft] x', '[Draft] x', "'[Draft] x'", 'value-not-text'],
    ['[Draft]', '[Draft]', "'[Draft]'", 'value-not-text'],
    ['{{name}}', '{{name}}', "'{{name}}'", 'value-not-text'],
    ['{x} y', '{x} y', "'{x} y'", 'value-not-text'],
    ['"x', 'x', "'x'", 'quotes-unbalanced'],
    ["'x", 'x', "'x'", 'quotes-unbalanced'],
    ["'don't: it'", "don't: it", `"don't: it"`, 'quotes-unbalanced'],
    ["'x' y", "'x' y", `"'x' y"`, 'quotes-unbalanced'],
    ['"a" and "b"', '"a" and "b"', `'"a" and "b"'`, 'quotes-unbalanced'],
    ['“a: b”', 'a: b', "'a: b'", 'quotes-unbalanced'],
    ['a: \\n b', 'a: \\n b', "'a: \\n b'", 'value-unquoted'],
    [`it's: "so"`, `it's: "so"`, `'it''s: "so"'`, 'value-unquoted'],
  ])('description: %s', (written, description, quoted, code) => {
    const text = (value: string) => inHeader(`name: a\ndescription: ${value}\ntools: [read]`)
    const agent = expectRescue(text(written), [`${code}:3`], text(quoted))
    expect(agent).toMatchObject({ ...expected, description })
  })

  it.each([
    ['lines at the margin', 'one\ntwo', 'one two', 'one\n  two'],
    ['a blank line', 'one\n\ntwo', 'one\ntwo', 'one\n\n  two'],
    ['a quote at the margin', "'one\n'", 'one', "'one\n  '"],
    ['a block at the margin', '|\nuser: x\n\ntwo', 'user: x\n\ntwo', '|\n  user: x\n\n  two'],
    [
      'pseudo-keys',
      'Use it. Examples:\\n<example>\nContext: c\nuser: "u"\nassistant: a\n</example>\n\nuser: v',
      'Use it. Examples:\\n<example> Context: c user: "u" assistant: a </example>\nuser: v',
      '|-\n  Use it. Examples:\\n<example> Context: c user: "u" assistant: a </example>\n  user: v',
    ],
    [
      'indented pseudo-keys',
      'one\n\n  user: u\n  - Change: (no)\n  # Heading',
      'one\nuser: u - Change: (no) # Heading',
      '|-\n  one\n  user: u - Change: (no) # Heading',
    ],
    ['one line with a colon', 'Use: it\n  indented', 'Use: it indented', "'Use: it indented'"],
  ])('a description with %s', (_, written, description, repaired) => {
    const text = (value: string) =>
      inHeader(`name: a\ndescription: ${value}\ntools: [read]\nx_y: 1\nmodel: b`)
    const { agent } = read(text(written))
    expect(agent).toMatchObject({ ...expected, description, unknown: { x_y: 1 }, models: ['b'] })
    expect(read(text(written)).repaired).toBe(text(repaired))
    expectRescue(text(written), codesOf(read(text(written))), text(repaired))
  })

  it('reads each key separately: valid ones stay unchanged', () => {
    const header = [
      'description: Use: it',
      'handoffs:',
      '  - label: Go on: now   # c',
      '    agent: b',
      '    prompt: Do these: `x`, and *y*',
      '  - label: "kept: as it is"',
      '    agent: c',
      'tools: [Read, "Bash(git *)"]  # these',
      'mcp-servers: {s: {tools: ["*"]}}',
      'argument-hint: [file] [line]',
    ].join('\n')
    const repaired = header
      .replace('Use: it', "'Use: it'")
      .replace('Go on: now   # c', "'Go on: now   # c'")
      .replace('Do these: `x`, and *y*', "'Do these: `x`, and *y*'")
      .replace('[file] [line]', "'[file] [line]'")
    const agent = expectRescue(
      inHeader(header),
      ['value-unquoted:2', 'value-unquoted:3', 'value-not-text:11'],
      inHeader(repaired),
    )
    expect(agent).toMatchObject({
      description: 'Use: it',
      tools: { kind: 'list', names: ['Read', 'Bash'] },
      handoffs: [
        { label: 'Go on: now   # c', agent: 'b', prompt: 'Do these: `x`, and *y*' },
        { label: 'kept: as it is', agent: 'c' },
      ],
      mcpServers: { s: { tools: ['*'] } },
      unknown: { 'argument-hint': '[file] [line]' },
    })
  })

  it.each([
    [
      'tabs',
      'name: a\ndescription: d\ntools:\n\t- read',
      ['tab-indent:4'],
      'name: a\ndescription: d\ntools:\n  - read',
    ],
    ['no space', 'name: a\ndescription: d\ntools:[read]', ['key-unspaced:4'], keys],
    [
      'an indented key',
      'name: a\n description: d\n tools: [read]',
      ['key-indented:3', 'key-indented:4'],
      keys,
    ],
    ['the first key indented', ` ${keys}`, ['key-indented:2'], keys],
    ['tools indented below a text', 'name: a\ndescription: d\n  tools: [read]', ['key-indented:4'], keys],
    ['text outside any key', `Hello!\n${keys}`, ['stray-text:2'], `# Hello!\n${keys}`],
    ['a key twice', keys.replace('\n', '\nname: b\n'), ['key-twice:3'], keys.replace('\n', '\n# name: b\n')],
    ['a colon of another script', keys.replace('tools:', 'tools：'), ['value-not-text:4'], keys],
  ])('%s', (_, header, codes, repaired) => {
    expect(expectRescue(inHeader(header), codes, inHeader(repaired))).toMatchObject(expected)
  })
})

describe('a restriction is never lost', () => {
  it.each([
    ['tools: *', "tools: '*'"],
    ['tools: * # all', "tools: '*' # all"],
    ['tools: [*]', "tools: ['*']"],
    ['tools:\n  - *', "tools:\n  - '*'"],
  ])('%s is all', (written, repaired) => {
    const agent = expectRescue(
      inHeader(`description: d\n${written}`),
      ['star-unquoted:3'],
      inHeader(`description: d\n${repaired}`),
    )
    expect(agent.tools).toEqual({ kind: 'all' })
  })

  it.each([
    'tools: [read',
    'tools: "read',
    "tools: ['read]",
    'tools: [read]]',
    'tools: {read',
    'tools: read: all',
    'tools: *read',
    'tools: [read, *]',
    'tools: !x read',
    'tools: [read]\nand more',
    'tools: read\n*',
    'tools: read,\n*',
    'tools:\n\t- read\n  - edit',
    'tools: &x [*x]',
    'tools: [read, "a\u2028b',
    'tools: [read\u0085, *',
    'allowed-tools: [read',
    'disallowedTools: [edit',
    'disallowedTools: *x',
    'permission:\n  bash: deny\n  bash: allow',
    'permission:\n  bash: {',
    'hooks:\n  PreToolUse: [',
    'tols: [read]',
    'toolss: [read]',
    'toosl: [read]',
    'permision: deny',
    'disallowdTools: [edit]',
    'model:\n  tools: [read]',
    'name:\n  tools: [read]',
    'agents:\n  tools: [read]',
    'x: y: z\n**tools**: read',
    'Hello: a: b\ntools = read',
    'description: d\n  tools:[read]',
    'description: a: b\ntols: [read]',
    'description: a: b\n  tols: [read]',
  ])('%j: no tools, and a report', (header) => {
    const { agent, diagnostics, repaired } = read(inHeader(`${header}\nmodel: x`))
    expect(agent?.tools).toEqual({ kind: 'list', names: [] })
    expect(diagnostics.map(({ code }) => code).join(' ')).toMatch(/unclear|unseen/)
    expect(repaired).toBeUndefined()
  })

  it.each(['budgt: {tokens: 5}', 'maxTurs: 3', 'max-turnss: 3', 'timout: 90s'])(
    '%j: a misspelt limit is an error, and the agent is not used',
    (header) => {
      const { agent, diagnostics } = read(inHeader(`description: d\n${header}`))
      expect(agent).toBeUndefined()
      expect(diagnostics).toMatchObject([{ severity: 'error', code: 'key-unseen', line: 3 }])
    },
  )

  it.each([
    ['permission: {edt: deny}', 'denial-unknown', 'edit'],
    ['permission: {edit: deny, bsh: {"rm *": ask}}', 'denial-unknown', 'bash'],
    ['permission: [{tool: Bsh, pattern: "rm *", action: deny}]', 'denial-unknown', 'bash'],
    ['disallowedTools: ["Bsh(rm *)"]', 'denial-unknown', 'bash'],
    ['disallowedTools: [execute_comand]', 'denial-unknown', 'execute_command'],
    ['disallowedTools: Write Edti', 'denial-unknown', 'edit'],
    ['disallowedTools: [execute/runInTerminl]', 'denial-unknown', 'execute/runInTerminal'],
    ['tools: {bsh: false}', 'denial-unknown', 'bash'],
    ['permissionMode: plann', 'permission-mode', 'plan'],
    ['permissionMode: readonly', 'permission-mode', 'plan'],
    ['mode: primry', 'wrong-value', 'primary'],
    ['disable_model_invocaton: true', 'key-unseen', 'disablemodelinvocation'],
    ['user-invocabel: false', 'key-unseen', 'userinvocable'],
    ['isolaton: workspace', 'key-unseen', 'isolation'],
  ])('%j: a misspelt restriction is an error, and the agent is not used', (header, code, meant) => {
    const { agent, diagnostics } = read(inHeader(`description: d\n${header}`))
    expect(agent).toBeUndefined()
    expect(diagnostics).toMatchObject([{ severity: 'error', code, line: 3 }])
    const [{ message, fix } = { message: '', fix: '' }] = diagnostics
    expect(`${message} ${fix}`).toMatch(new RegExp(`\\b${meant}\\b`, 'i'))
  })

  it('reports the line number of a misspelt denied tool in a list', () => {
    const { diagnostics } = read(inHeader('description: d\ndisallowedTools:\n  - Write\n  - Edti'))
    expect(diagnostics).toMatchObject([{ severity: 'error', code: 'denial-unknown', line: 5 }])
  })

  it.each([
    'disallowedTools: [mcp__github__create_issue, github/create_issue, deploy, "mcp__*", NotebookEdit]',
    'disallowedTools: ["deploy(production *)"]',
    'permission: {external_directory: deny, doom_loop: ask, deploy: deny, "my*": deny}',
    'permission: {"*": deny, edt: allow}',
    'tools: {"github*": false, deploy: false}',
    'permissionMode: acceptEdits',
    'mode: ask',
    'disabled: false',
  ])('%j: a possibly intended name stays', (header) => {
    const { agent, diagnostics } = read(inHeader(`description: d\n${header}`))
    expect(agent).toBeDefined()
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  })

  it('disabled is disable', () => {
    expect(read(inHeader('description: d\ndisabled: true')).disabled).toBe(true)
  })

  it.each([
    ['tools: [read, edit]\nmodel: x\ntools: [edit, bash]', ['edit']],
    ['tools: [read, edit]\nallowed_tools: edit', ['edit']],
    ['allowedTools: [read]\ntools: "*"', ['read']],
    ['“tools”: [read]', ['read']],
    ['TOOLS: [read]', ['read']],
    ['x: y: z\n"tools":[read]', ['read']],
    ['tools: read,\nedit', ['read', 'edit']],
    ['tools:\nread', ['read']],
  ])('%j grants only what all lists name', (header, names) => {
    expect(read(inHeader(`description: d\n${header}`)).agent?.tools).toEqual({ kind: 'list', names })
  })

  it.each([
    ['agents: [a', { kind: 'none' }],
    ['agents: {a', { kind: 'none' }],
    ['agnets: [a]', { kind: 'none' }],
    ['agents: [a, b]\nx: 1\nagents: [b, c]', { kind: 'list', names: ['b'] }],
    ['agents: *', { kind: 'all' }],
  ])('%j', (header, delegates) => {
    expect(read(inHeader(`description: d\n${header}`)).agent?.delegates).toEqual(delegates)
  })

  it.each(['maxTurns: 5: 6', 'maxTurns: [5', 'timeout: "5', 'budget: {tokens: 5', 'steps: 5\nmore'])(
    '%j: not loaded',
    (header) => {
      const { agent, diagnostics } = read(
        inHeader(`description: d\n${header}\nfoo`),
        '/p/.opencode/agent/a.md',
      )
      expect(agent).toBeUndefined()
      expect(diagnostics.at(-1)).toMatchObject({ severity: 'error', code: 'wrong-value', line: 3 })
    },
  )

  it('neither by dashes between the keys, nor by a header that is not found', () => {
    const none = { kind: 'list', names: [] }
    expect(read('---\nname: a\n---\ntools: [read]\n---\nBody').agent?.tools).toEqual(none)
    expect(read('---\nname: a\n\nText\n\ntools: [read]\n').agent?.tools).toEqual(none)
    expect(read('---\nname: a\n---\n---\ntools: [read]\n---\n', copilot).agent?.tools).toEqual(none)
    for (const text of [
      `x${good}`,
      `Hello\n${good}`,
      `\`\`\`\nHello\n${good}`,
      `# Hello\n\n\`\`\`md\n${good}\`\`\`\n`,
      good.replace('---', '-- -'),
      good.replaceAll(/^/gm, '> '),
      '---\n# empty\n---\nHello\nmaxTurns: 5',
      'Hello\nuser-invocable: false',
      '---\nname: a\n---\nmax-turns: 5\n---\n',
    ])
      expect(read(text, copilot)).toMatchObject({
        diagnostics: expect.arrayContaining([expect.objectContaining({ severity: 'error' })]),
      })
    // After a header, a code block shows keys of other files.
    expect(read(`\n---\nname: a\n---\n\`\`\`\n${keys}\n\`\`\`\n`).agent?.tools).toEqual({ kind: 'all' })
  })

  it('keys with the same name for other purposes do not count', () => {
    for (const header of [
      'mcp-servers:\n  x:\n    tools: [read]',
      'mcp-servers: {\n  "x": {"tools":["read"]}\n  }',
      'metadata:\n  tools: [read]',
      'description: |\n  Example:\n  tools: Read',
      'x: a: b\nmcp-servers:\n  x:\n    tools: [read]',
      'handoffs:\n  - agent: b\n    tools: [read]',
    ]) {
      const { agent, diagnostics } = read(inHeader(`name: a\n${header}`))
      expect([header, agent?.tools]).toEqual([header, { kind: 'all' }])
      expect(diagnostics.map(({ code }) => code)).not.toContain('key-unseen')
    }
  })
})

describe('a file whose line breaks were lost', () => {
  it.each([
    '--- name: a description: Does it tools: Read, Grep --- # Title Do it.',
    '--- name: a description: Does it tools: Read --- # Title\n\nDo it.\n',
    '---name: a description: Does it model: sonnet',
    '---\\nname: a\\ndescription: d\\ntools: [read]\\n---\\nBody',
    'name: a description: Does it tools: Read, Grep --- Body',
    '--- description: Does it --- Body',
  ])('is unusable, and the message explains why: %j', (text) => {
    for (const path of [claude, copilot, '/project/.opencode/agent/sample.md']) {
      const result = read(text, path)
      expect(result.agent).toBeUndefined()
      expect(codesOf(result)).toEqual(['line-breaks-lost:1'])
      expect(result.diagnostics[0]?.message).toContain('has lost its line breaks')
    }
  })
})
