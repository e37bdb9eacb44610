import { type HookEvent, hookEvents } from '@cadre/agents'
import { type HookAnswer, sampleOf, tryHooks } from '@cadre/gate'
import { describe, expect, it } from 'vitest'
import { share } from '../support/amount.ts'
import { createHookProject } from './support/hook-project.ts'
import { never, sessionAt, toolNamed } from './support/sessions.ts'

type Dialect = 'vscode' | 'copilot' | 'claude'
const dialects: readonly Dialect[] = ['vscode', 'copilot', 'claude']

/** Runs this shell script as the hook of an event, and returns the parsed answer. */
async function answerOf(
  dialect: Dialect,
  event: HookEvent,
  script: string,
  more: object = {},
): Promise<HookAnswer> {
  const entry = { type: 'command', command: 'sh hook.sh', ...more }
  const file = dialect === 'claude' ? '.claude/settings.json' : '.github/hooks/a.json'
  const spelling = dialect === 'copilot' ? hookEvents[event].camel : event
  const project = createHookProject({
    'hook.sh': script,
    [file]: { ...(dialect === 'copilot' && { version: 1 }), hooks: { [spelling]: [entry] } },
  })
  const [trial] = await tryHooks(
    {
      hooks: project.find().hooks,
      sample: sampleOf({
        event,
        workspace: project.path,
        agent: sessionAt(project.path).agent,
        tool: toolNamed('execute_command'),
        input: { command: 'ls' },
        created: '',
      }),
      now: 0,
      project: project.path,
      userHome: project.userHome,
      environment: (extra) => ({ PATH: process.env['PATH'], ...extra }),
      graceMs: 50,
    },
    never,
  )
  expect(trial?.hook.dialect).toBe(dialect)
  return trial!.answer
}

describe('exit codes', () => {
  const said = 'echo printed; echo because >&2; exit'
  const deny = { decision: 'deny', reason: 'because' }
  const warns = { notices: [expect.stringContaining('because')] }
  const blocked = { blocked: 'because' }
  const failed = { decision: 'deny', reason: expect.stringContaining('exit code 1: because') }
  const table: readonly [HookEvent, number, Record<Dialect, object>][] = [
    ['PreToolUse', 2, { vscode: deny, copilot: deny, claude: deny }],
    ['PreToolUse', 1, { vscode: warns, copilot: failed, claude: warns }],
    ['PermissionRequest', 2, { vscode: deny, copilot: deny, claude: deny }],
    ['PermissionRequest', 1, { vscode: warns, copilot: warns, claude: warns }],
    ['UserPromptSubmit', 2, { vscode: blocked, copilot: warns, claude: blocked }],
    ['UserPromptSubmit', 1, { vscode: warns, copilot: warns, claude: warns }],
    ['PostToolUse', 2, { vscode: blocked, copilot: warns, claude: blocked }],
    ['PostToolUseFailure', 2, { vscode: blocked, copilot: { context: 'printed' }, claude: blocked }],
    ['Stop', 2, { vscode: blocked, copilot: warns, claude: blocked }],
    ['Stop', 1, { vscode: warns, copilot: warns, claude: warns }],
    ['SubagentStop', 2, { vscode: blocked, copilot: warns, claude: blocked }],
    ['SessionStart', 2, { vscode: {}, copilot: warns, claude: warns }],
    ['SubagentStart', 2, { vscode: {}, copilot: warns, claude: warns }],
    ['PreCompact', 2, { vscode: warns, copilot: warns, claude: warns }],
    ['SessionEnd', 1, { vscode: warns, copilot: warns, claude: warns }],
    ['Notification', 1, { vscode: warns, copilot: warns, claude: warns }],
    ['ErrorOccurred', 1, { vscode: warns, copilot: warns, claude: warns }],
  ]
  it.each(
    share(
      table.flatMap(([event, code, by]) =>
        dialects.map((dialect) => [dialect, event, code, by[dialect]] as const),
      ),
      8,
    ),
  )('of %s: %s and %i', async (dialect, event, code, expected) => {
    expect(await answerOf(dialect, event, `${said} ${code}`)).toEqual(expected)
  })

  it('2 denies although allow was printed, and the Copilot CLI keeps the reason', async () => {
    const script = `echo '{"permissionDecision":"allow","permissionDecisionReason":"printed"}'; echo because >&2; exit 2`
    expect(await answerOf('copilot', 'PreToolUse', script)).toEqual({ decision: 'deny', reason: 'printed' })
    expect(await answerOf('claude', 'PreToolUse', script)).toEqual({ decision: 'deny', reason: 'because' })
  })
})

describe('plain text', () => {
  it.each([
    ['claude', 'SessionStart', { context: 'hello there' }],
    ['claude', 'UserPromptSubmit', { context: 'hello there' }],
    ['claude', 'PreToolUse', {}],
    ['copilot', 'SessionStart', {}],
    ['copilot', 'PreToolUse', {}],
    ['vscode', 'SessionStart', { notices: [expect.stringContaining('hello there')] }],
    ['vscode', 'PreToolUse', { notices: [expect.stringContaining('hello there')] }],
  ] as const)('of %s: %s', async (dialect, event, expected) => {
    expect(await answerOf(dialect, event, 'echo hello there')).toEqual(expected)
  })

  it.each(dialects)('that starts with a bracket is text, in %s', async (dialect) => {
    expect((await answerOf(dialect, 'PreToolUse', 'echo "[info] checking"')).decision).toBeUndefined()
  })
})

describe('a hook with an unknown answer', () => {
  const cases: readonly [string, string, object][] = [
    ['is killed', 'kill -9 $$', {}],
    ['has a child that is killed', 'sh -c "kill -9 \\$\\$"; exit $?', {}],
    ['takes too long', 'sleep 1000', { timeout: 0.2, timeoutSec: 0.2 }],
    [
      'takes too long and ignores being told',
      'trap "" TERM; sleep 1000 & wait; sleep 1000',
      { timeout: 0.2, timeoutSec: 0.2 },
    ],
    ['cannot be started', 'true', { command: './not-there' }],
    ['cannot be executed', 'true', { command: './hook.sh' }],
    ['has no folder', 'true', { cwd: 'not/there' }],
    ['has no program', 'true', { command: '/not/there', args: ['x'] }],
    ['prints what begins like JSON and is not', 'echo "{broken"', {}],
    ['prints two documents', `echo '{}'; echo '{"permissionDecision":"allow"}'`, {}],
    ['is cut off in the middle', `printf '{"permissionDecision":"al'`, {}],
  ]
  it.each(
    share(
      cases.flatMap(([what, script, more]) =>
        dialects.map((dialect) => [what, dialect, script, more] as const),
      ),
      8,
    ),
  )('denies as PreToolUse and only warns otherwise: it %s (%s)', async (_, dialect, script, more) => {
    const before = await answerOf(dialect, 'PreToolUse', script, more)
    expect(before).toMatchObject({ decision: 'deny', reason: expect.stringMatching(/\w+/) })
    const after = await answerOf(dialect, 'PostToolUse', script, more)
    expect(after).toEqual({ notices: [expect.stringMatching(/\w+/)] })
  })
})

describe('the output', () => {
  const print = (value: object) => `cat <<'END'\n${JSON.stringify(value)}\nEND`

  it.each(dialects)('a block of PreCompact is reported and blocks nothing, in %s', async (dialect) => {
    const said = await answerOf(dialect, 'PreCompact', print({ decision: 'block', reason: 'keep it' }))
    expect(said).toEqual({ notices: [expect.stringMatching(/\(keep it\), which Cadre does not support/)] })
  })
  const both = (fields: object) => [
    fields,
    { hookSpecificOutput: { hookEventName: 'PreToolUse', ...fields } },
  ]

  it.each(dialects)('is accepted flat and nested, in %s', async (dialect) => {
    for (const permissionDecision of ['allow', 'ask', 'deny'] as const)
      for (const output of both({ permissionDecision, permissionDecisionReason: 'because' }))
        expect(await answerOf(dialect, 'PreToolUse', print(output))).toEqual({
          decision: permissionDecision,
          reason: 'because',
        })
    const input = { command: 'ls -l' }
    for (const output of [...both({ updatedInput: input }), { modifiedArgs: input }])
      expect(await answerOf(dialect, 'PreToolUse', print(output))).toEqual({ input })
    expect(
      await answerOf(dialect, 'PreToolUse', print({ additionalContext: 'know this', systemMessage: 'hi' })),
    ).toEqual({
      context: 'know this',
      notices: ['hi'],
    })
  })

  it.each([
    ['an older way to allow', { decision: 'approve' }, { decision: 'allow' }],
    ['an older way to deny', { decision: 'block', reason: 'no' }, { decision: 'deny', reason: 'no' }],
    [
      'the stricter of two',
      { permissionDecision: 'allow', decision: 'block', reason: 'no' },
      { decision: 'deny', reason: 'no' },
    ],
    ['leaving it to other rules', { hookSpecificOutput: { permissionDecision: 'defer' } }, {}],
    [
      'an unknown word',
      { permissionDecision: 'reject' },
      { decision: 'deny', reason: expect.stringContaining('reject') },
    ],
    [
      'a decision that is not a word',
      { permissionDecision: { allow: true } },
      { decision: 'deny', reason: expect.any(String) },
    ],
    [
      'arguments that are not an object',
      { updatedInput: 'ls' },
      { decision: 'deny', reason: expect.any(String) },
    ],
    ['nothing', {}, {}],
    ['an end', { continue: false, stopReason: 'enough' }, { stop: 'enough' }],
    ['null where text should be', { additionalContext: null, systemMessage: null }, {}],
  ])('PreToolUse: %s', async (_, output, expected) => {
    expect(await answerOf('claude', 'PreToolUse', print(output))).toEqual(expected)
  })

  it.each([
    [
      'vscode',
      'Stop',
      { hookSpecificOutput: { decision: 'block', reason: 'more' } },
      { blocked: 'more', notices: [] },
    ],
    ['copilot', 'Stop', { decision: 'block', reason: 'more' }, { blocked: 'more', notices: [] }],
    ['copilot', 'Stop', { decision: 'allow', reason: 'fine' }, { notices: [] }],
    ['claude', 'SubagentStop', { decision: 'block', reason: 'more' }, { blocked: 'more', notices: [] }],
    [
      'claude',
      'Stop',
      { decision: 'block', reason: 'more', continue: false },
      { stop: 'a hook stopped the session', notices: [] },
    ],
    [
      'copilot',
      'SubagentStop',
      { modifiedResponse: 'x' },
      { notices: [expect.stringContaining('modifiedResponse')] },
    ],
    [
      'copilot',
      'PostToolUse',
      { modifiedResult: { resultType: 'success', textResultForLlm: 'less' } },
      { content: 'less' },
    ],
    ['claude', 'PostToolUse', { hookSpecificOutput: { updatedToolOutput: 'less' } }, { content: 'less' }],
    [
      'vscode',
      'PostToolUse',
      { decision: 'block', reason: 'bad', hookSpecificOutput: { additionalContext: 'look' } },
      { blocked: 'bad', context: 'look' },
    ],
    ['copilot', 'PermissionRequest', { behavior: 'allow' }, { decision: 'allow' }],
    [
      'copilot',
      'PermissionRequest',
      { behavior: 'deny', message: 'no', interrupt: true },
      { decision: 'deny', reason: 'no', stop: 'no' },
    ],
    [
      'claude',
      'PermissionRequest',
      { hookSpecificOutput: { decision: { behavior: 'allow' } } },
      { decision: 'allow' },
    ],
    [
      'claude',
      'PermissionRequest',
      { hookSpecificOutput: { decision: { behavior: 'allow', updatedInput: { command: 'x' } } } },
      { notices: [expect.any(String)] },
    ],
    ['claude', 'UserPromptSubmit', { decision: 'block', reason: 'no' }, { blocked: 'no' }],
    ['copilot', 'UserPromptSubmit', { decision: 'block', reason: 'no', additionalContext: 'x' }, {}],
    ['vscode', 'UserPromptSubmit', { decision: 'block', systemMessage: 'hi' }, { notices: ['hi'] }],
    ['vscode', 'SessionStart', { hookSpecificOutput: { additionalContext: 'know' } }, { context: 'know' }],
    ['copilot', 'SubagentStart', { additionalContext: 'know' }, { context: 'know' }],
    ['copilot', 'Notification', { additionalContext: 'know' }, { context: 'know' }],
  ] as const)('%s, %s: %j', async (dialect, event, output, expected) => {
    expect(await answerOf(dialect, event, print(output))).toEqual(expected)
  })

  it('loses only its progress lines', async () => {
    const script = `echo '{"type":"progress","message":"1"}'; echo '{"permissionDecision":'; echo ' {"type":"progress"} '; echo '"deny"}'`
    expect(await answerOf('copilot', 'PreToolUse', script)).toEqual({ decision: 'deny' })
  })

  it.each([
    [`echo '{"async": true}'`],
    [`echo '{"async": true, "asyncTimeout": 15000}'; echo 'further text'; echo '{'`],
    [`echo '{"async": true}'; echo late >&2; exit 2`],
  ])('may say that the hook continues in the background: %s', async (script) => {
    expect(await answerOf('claude', 'PreToolUse', script)).toEqual({})
    expect(await answerOf('claude', 'Stop', script)).toEqual({})
  })

  it('may be large, and is not kept forever', async () => {
    const script = `head -c 12000000 /dev/zero | tr '\\0' 'x'`
    const { context } = await answerOf('claude', 'SessionStart', script)
    expect(context).toHaveLength(10_000 + '… (cut)'.length)
  })

  it('counts even if a child process keeps the pipes open', async () => {
    const script = `sleep 1000 & echo '{"permissionDecision":"ask"}'; echo $! > pid`
    expect(await answerOf('claude', 'PreToolUse', script)).toEqual({ decision: 'ask' })
  })
})
