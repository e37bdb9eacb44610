import { expect, test } from 'vitest'
import { agentFile, createProject } from './support/project.ts'

const good = { lanes: { '*': [{ reply: 'done' }] } }
/** Short to write, but too deep for the stack of a parser. */
const deep = '['.repeat(100_000)
const session = `session_id: lead-abc123
agent_id: lead
status: flying
messages:
  - role: user
    content: Do it.
`

/** For any invalid input: one sentence that points to it, exit code 2, and no changes on disk. */
test.each<[string, Record<string, string | object>, string[], RegExp]>([
  [
    'a playbook with a wrong key',
    { 'p.yaml': 'lanes:\n  a:\n    - replyy: x\n' },
    ['run', '--model', 'scripted:p.yaml', 'x'],
    /p\.yaml:3: unknown key "replyy"/,
  ],
  [
    'a playbook that is not YAML',
    { 'p.yaml': 'lanes: {a: [\n' },
    ['run', '--model', 'scripted:p.yaml', 'x'],
    /p\.yaml:\d+: /,
  ],
  [
    'a missing playbook',
    {},
    ['run', '--model', 'scripted:no.yaml', 'x'],
    /there is no playbook at .*no\.yaml/,
  ],
  [
    'a missing output schema',
    { 'p.yaml': good },
    ['run', '--model', 'scripted:p.yaml', '--output-schema', 'nope.json', 'x'],
    /nope\.json: there is no such file\. Pass --output-schema the path to a file that contains a JSON Schema\.$/m,
  ],
  [
    'a misspelt tool to deny',
    { 'p.yaml': good },
    ['run', '--model', 'scripted:p.yaml', '--deny-tool', 'writ_file', 'x'],
    /--deny-tool: there is no tool or tool class named "writ_file". Did you mean write_file/,
  ],
  [
    'a pattern of tools to deny that matches none',
    { 'p.yaml': good },
    ['run', '--model', 'scripted:p.yaml', '--deny-tool', 'githb/*', 'x'],
    /--deny-tool: "githb\/\*" matches no tool: there is no MCP server named "githb". Did you mean github\?/,
  ],
  [
    'a misspelt tool to deny, for an explanation',
    {},
    ['policy', 'explain', '--tool', 'read_file', '--input', '{"path": "a"}', '--deny-tool', 'raed'],
    /--deny-tool: there is no tool or tool class named "raed". Did you mean read/i,
  ],
  [
    'a missing table of calls',
    {},
    ['policy', 'test', 'no.yaml'],
    /^(?:cadre: )?\S+no\.yaml: there is no such file\.$/m,
  ],
  [
    'a wrong value for a setting, in a file that does not exist',
    {},
    ['config', 'set', 'limits.depth', 'abc'],
    /^(?:cadre: )?limits\.depth must be a whole number greater than 0, not "abc"\.$/m,
  ],
  ['an unknown backend', {}, ['run', '--model', 'opnai:x', 'x'], /opnai/],
  ['no model at all', {}, ['run', 'x'], /no model is configured/],
  [
    'a configuration with a wrong key',
    { '.cadre/config.yaml': 'model: a\nmodle: b\n' },
    ['run', 'x'],
    /config\.yaml:2: There is no key "modle"/,
  ],
  [
    'a configuration that is not YAML',
    { '.cadre/config.yaml': 'model: [\n' },
    ['run', 'x'],
    /config\.yaml:\d+: /,
  ],
  [
    'a configuration of only brackets',
    { '.cadre/config.yaml': deep },
    ['run', 'x'],
    /config\.yaml:1: This is too large, nested too deeply/,
  ],
  [
    'an extremely nested agent file',
    { '.github/agents/lead.agent.md': `---\nname: lead\ntools: ${deep}\n---\n`, 'p.yaml': good },
    ['run', '--model', 'scripted:p.yaml', 'x'],
    /lead\.agent\.md:\d+: This is too large, nested too deeply/,
  ],
  [
    'an extremely nested playbook',
    { 'p.yaml': `lanes: ${deep}` },
    ['run', '--model', 'scripted:p.yaml', 'x'],
    /p\.yaml:1: lists or mappings are nested too deeply/,
  ],
  [
    'an extremely nested session file',
    { '.cadre/sessions/lead-abc123.session.yaml': `agent_id: lead\nmessages: ${deep}` },
    ['sessions', 'show', 'lead'],
    /lead-abc123\.session\.yaml:1: .*nested too deeply/,
  ],
  [
    'a broken agent file',
    {
      '.cadre/templates/lead.agent.yaml': 'id: lead\ndescription: d\nsystem_prompt: x\nmax_turns: [\n',
      'p.yaml': good,
    },
    ['run', '--model', 'scripted:p.yaml', 'x'],
    /lead\.agent\.yaml:\d+: /,
  ],
  [
    'the named agent file is broken',
    {
      ...agentFile('other'),
      '.cadre/templates/lead.agent.yaml': 'id: lead\ndescription: d\nsystem_prompt: x\nmax_turns: [\n',
      'p.yaml': good,
    },
    ['run', '--agent', 'lead', '--model', 'scripted:p.yaml', 'x'],
    /lead\.agent\.yaml:\d+: /,
  ],
  ['an unknown model of an agent', { ...agentFile('lead', { model: 'nobody:x' }) }, ['run', 'x'], /nobody:x/],
  [
    'a broken session file',
    { '.cadre/sessions/lead-abc123.session.yaml': session },
    ['sessions', 'show', 'lead'],
    /lead-abc123\.session\.yaml:\d+: /,
  ],
  [
    'resuming a broken session file',
    { '.cadre/sessions/lead-abc123.session.yaml': session },
    ['resume', 'lead'],
    /lead-abc123\.session\.yaml:\d+: /,
  ],
  ['an unknown session', {}, ['resume', 'lead-zzz'], /there is no session "lead-zzz"/],
  [
    'a missing workspace',
    { 'p.yaml': good },
    ['run', '--workspace', 'no', '--model', 'scripted:p.yaml', 'x'],
    /\/no: the workspace folder does not exist/,
  ],
  [
    'a missing image',
    { 'p.yaml': good },
    ['run', '--image', 'no.png', '--model', 'scripted:p.yaml', 'x'],
    /no\.png: cannot read the image/,
  ],
  [
    'a demo folder that is not empty',
    { 'd/x': 'x' },
    ['demo', '--dir', 'd'],
    /\/d: the demo folder must be empty/,
  ],
])('%s', async (_, files, args, sentence) => {
  const project = createProject(files)
  const before = project.listing()
  const { code, stdout, stderr } = await project.cadre(args)
  expect(stderr).toMatch(sentence)
  expect(stderr).toMatch(/^cadre: [^\n]+\n$/)
  expect(stderr).not.toMatch(/\n\s+at /)
  expect(stdout).toBe('')
  expect(code).toBe(2)
  expect(project.listing()).toEqual(before)
  const asJson = await project.cadre([...args, '--json'])
  expect(asJson.json().at(-1)).toMatchObject({ type: 'error', message: expect.stringMatching(sentence) })
  expect(asJson.code).toBe(2)
  expect(project.listing()).toEqual(before)
})

test('one broken agent file does not stop a run that does not need it, and is reported', async () => {
  const project = createProject({
    ...agentFile('lead'),
    '.cadre/templates/other.agent.yaml': 'id: [\n',
    'p.yaml': good,
  })
  const { code, stderr, stdout } = await project.cadre(['run', '--model', 'scripted:p.yaml', 'x'])
  expect(stderr).toMatch(/^cadre: .*other\.agent\.yaml:\d+: /)
  expect(stdout).toContain('done')
  expect(code).toBe(0)
})
