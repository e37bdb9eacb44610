import type { AgentDefinition } from '@cadre/core'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { readAgentText } from '../../load/read-agent-text.ts'
import { fixAgentText } from './fix-agent-text.ts'

const path = '/p/.github/agents/a.agent.md'
const fixed = (text: string) => {
  const fix = fixAgentText({ path, text })
  return fix.kind === 'fixed' ? fix.text : fix.kind
}
const whole = '---\nname: a\ndescription: d\ntools: [read]\n---\nDo it.\n'

describe('fixes', () => {
  test.each<[string, string, string]>([
    ['a byte order mark before the header', `\ufeff${whole}`, whole],
    ['a fence around the file', `\`\`\`\`chatagent\n${whole}\`\`\`\`\n`, whole],
    ['missing dashes', whole.slice(4), whole],
    [
      'a value that needs quotes',
      '---\ndescription: Use it: always\ntools: [read]\n---\nDo it.\n',
      '---\ndescription: "Use it: always"\ntools: [read]\n---\nDo it.\n',
    ],
    [
      'an old spelling, with its comment',
      '---\ndescription: d\nuser-invokable: false # not for people\n---\nDo it.\n',
      '---\ndescription: d\nuser-invocable: false # not for people\n---\nDo it.\n',
    ],
    [
      'infer',
      '---\ndescription: d\ninfer: false   # nobody\n---\nDo it.\n',
      '---\ndescription: d\ndisable-model-invocation: true   # nobody\n---\nDo it.\n',
    ],
    [
      'all of it at once, with Windows line endings',
      '\ufeff---\r\ndescription: d\r\ninfer: false\r\nuser-invokable: true\r\n---\r\nDo it.\r\n',
      '---\r\ndescription: d\r\ndisable-model-invocation: true\r\nuser-invocable: true\r\n---\r\nDo it.\r\n',
    ],
  ])('%s', (_, before, after) => {
    expect(fixed(before).replaceAll("'", '"')).toBe(after)
  })
})

describe('ignores', () => {
  test.each<[string, string]>([
    ['a correct file', whole],
    [
      'an old spelling next to the new one',
      whole.replace('tools', 'user-invokable: true\nuser-invocable: false\ntools'),
    ],
    [
      'infer next to its replacement',
      whole.replace('tools', 'infer: false\ndisable-model-invocation: true\ntools'),
    ],
    ['infer: true', whole.replace('tools', 'infer: true\ntools')],
    ['the same words in the text', `${whole}\nuser-invokable: false\ninfer: false\n`],
    ['a file without an agent', '# Notes\n'],
    ['an empty file', ''],
  ])('%s', (_, text) => {
    expect(fixed(text)).toBe('nothing')
  })
})

it('keeps comments, unknown keys, and every character of the text', () => {
  const text =
    '\ufeff---\n# mine\nname: a # short\ndescription: Say: hello\nx-team:   {  b: 1,a: 2 }\nuser-invokable: true\n# end\n---\n\n  Body  \n---\nuser-invokable: x\n'
  const after = fixed(text)
  for (const kept of ['# mine\n', 'name: a # short\n', 'x-team:   {  b: 1,a: 2 }\n', '# end\n---\n'])
    expect(after).toContain(kept)
  expect(after.endsWith('---\n\n  Body  \n---\nuser-invokable: x\n')).toBe(true)
})

/** The permissions of an agent, listed independently, so that a mistake in the comparison of the fix cannot hide. */
function rightsOf(agent: AgentDefinition | undefined): unknown {
  if (agent === undefined) return undefined
  const { source: _, ...rest } = agent
  return { userInvocable: true, modelInvocable: true, ...rest }
}

const keys = fc.constantFrom(
  'name: a',
  'description: Says: yes, always',
  'description: plain',
  "description: it's - [odd] * text: #1",
  'description: |\n  two: lines\n  of it',
  'tools: [read, Bash]',
  'tools: Read, Grep(x: y)',
  'tools: *',
  'tools:',
  'tools: true',
  'tools:\n  - read\n  - edit',
  'tools:\n  bash: false',
  'disallowedTools: Bash(rm *), Write',
  'disallowedTools: [Bash',
  'agents: [b, c]',
  'agents: []',
  'model: [gpt-5, o3]',
  'model: GPT: 5',
  'user-invokable: false',
  'user-invocable: true',
  'user-invokable: maybe',
  'infer: false',
  'infer: true',
  'disable-model-invocation: true',
  'maxTurns: 5',
  'maxTurns: many',
  'permission:\n  edit: deny\n  bash:\n    "git *": ask',
  'hidden: true',
  'mode: primary',
  'x-own: [1, {a: b}] # kept',
  '# a comment: with a colon',
  'user: says hello',
  'handoffs:\n  - label: x\n    agent: b',
)

const damage = fc.constantFrom<(text: string) => string>(
  (text) => text,
  (text) => `\ufeff${text}`,
  (text) => `\`\`\`\`chatagent\n${text}\`\`\`\`\n`,
  (text) => text.replace(/^---\n/, ''),
  (text) => text.replace(/\n---\n/, '\n'),
  (text) => text.replaceAll('\n', '\r\n'),
  (text) => text.replace(/^ {2}/gm, '\t'),
  (text) => `\n\n${text}`,
  (text) => text.replace(/]/, ''),
  (text) => text.replace(/: /, ':'),
)

const places = fc.constantFrom(path, '/p/.claude/agents/a.md', '/p/.opencode/agent/a.md', '/p/x.chatmode.md')

it('never changes what an agent is, may do or is told, and is idempotent', () => {
  fc.assert(
    fc.property(
      places,
      fc.array(keys, { maxLength: 7 }),
      fc.array(damage, { maxLength: 3 }),
      fc.constantFrom('Do it.\n', '', 'user-invokable: false\n---\nmore: of it\n', '```\n---\n```\n'),
      (at, lines, damages, body) => {
        const written = `---\n${lines.map((line) => `${line}\n`).join('')}---\n${body}`
        const text = damages.reduce((before, hurt) => hurt(before), written)
        const before = readAgentText({ path: at, text })
        const fix = fixAgentText({ path: at, text })
        if (fix.kind !== 'fixed') return
        const after = readAgentText({ path: at, text: fix.text })
        expect(rightsOf(after.agent)).toEqual(rightsOf(before.agent))
        expect(after.rescued ?? false).toBe(false)
        expect(fixAgentText({ path: at, text: fix.text })).toEqual({ kind: 'nothing' })
        for (const comment of text.match(/# kept|# a comment: with a colon/g) ?? [])
          expect(fix.text).toContain(comment)
      },
    ),
    { numRuns: process.env['CADRE_DEEP'] ? 500 : 50 },
  )
})
