import type { JsonObject, Report } from '@cadre/core'
import { describe, expect } from 'vitest'
import { sampled } from '../support/amount.ts'
import { createHookProject, type HookProject, record } from './support/hook-project.ts'
import { callOf, never, sessionAt } from './support/sessions.ts'

const it = sampled(3)

const events = {
  SessionStart: 'sessionStart',
  SessionEnd: 'sessionEnd',
  UserPromptSubmit: 'userPromptSubmitted',
  PreToolUse: 'preToolUse',
  PostToolUse: 'postToolUse',
  PostToolUseFailure: 'postToolUseFailure',
  PermissionRequest: 'permissionRequest',
  SubagentStart: 'subagentStart',
  SubagentStop: 'subagentStop',
  Stop: 'agentStop',
  PreCompact: 'preCompact',
  Notification: 'notification',
  ErrorOccurred: 'errorOccurred',
} as const
type Event = keyof typeof events
const names = Object.keys(events) as Event[]
const formats = ['vscode', 'camel', 'snake', 'claude'] as const
type Format = (typeof formats)[number]

const now = Date.UTC(2026, 0, 2, 3, 4, 5)
const iso = '2026-01-02T03:04:05.000Z'
const entryFile = '/home/sessions/lead-1.session.yaml'
const childFile = '/home/sessions/worker-1.session.yaml'

/** The documented payload of each event, key by key. `child` is what every call of a delegated session adds. */
function documented(cwd: string, at: { child?: boolean } = {}): Record<Format, Record<Event, JsonObject>> {
  const camelChild = at.child ? { agentId: 'worker-1', agentType: 'operator', agentName: 'worker' } : {}
  const snakeChild = at.child ? { agent_id: 'worker-1', agent_type: 'operator', agent_name: 'worker' } : {}
  const ownFile = at.child ? childFile : entryFile
  const table = (
    child: JsonObject,
    common: (event: Event) => JsonObject,
    rows: Record<Event, JsonObject>,
  ): Record<Event, JsonObject> =>
    Object.fromEntries(
      names.map((event) => [event, { ...common(event), ...rows[event], ...child }]),
    ) as Record<Event, JsonObject>

  const error = { message: 'no answer', name: 'backend' }
  const message = 'needs a decision about execute_command: because'
  const notice = {
    message: `${at.child ? 'worker' : 'lead'} ${message}`,
    title: 'Permission needed',
    notification_type: 'permission_prompt',
  }
  const snakeRows: Record<Event, JsonObject> = {
    SessionStart: { source: 'new', initial_prompt: 'Do it.' },
    SessionEnd: { reason: 'complete' },
    UserPromptSubmit: { prompt: 'Hello' },
    PreToolUse: { tool_name: 'Bash', tool_input: { command: 'ls' } },
    PostToolUse: {
      tool_name: 'Bash',
      tool_input: { command: 'ls' },
      tool_result: { result_type: 'success', text_result_for_llm: 'out' },
    },
    PostToolUseFailure: { tool_name: 'Bash', tool_input: { command: 'ls' }, error: 'bad' },
    PermissionRequest: { tool_name: 'Bash', tool_input: { command: 'ls' } },
    SubagentStart: {
      transcript_path: ownFile,
      agent_name: 'worker',
      agent_display_name: 'worker',
      agent_description: 'Works',
    },
    SubagentStop: {
      transcript_path: ownFile,
      agent_display_name: 'worker',
      last_assistant_message: 'All done.',
      stop_reason: 'end_turn',
    },
    Stop: { transcript_path: ownFile, stop_reason: 'end_turn', stop_hook_active: true },
    PreCompact: { transcript_path: ownFile, trigger: 'auto', custom_instructions: '' },
    Notification: notice,
    ErrorOccurred: { error, error_context: 'model_call', recoverable: false },
  }
  const snake = table(
    snakeChild,
    (event) => ({ hook_event_name: event, session_id: 'lead-1', timestamp: iso, cwd }),
    snakeRows,
  )
  const vscodeTool = { tool_name: 'run_in_terminal', tool_input: { command: 'ls' }, tool_use_id: 'call_1' }
  const vscode = table(
    snakeChild,
    (event) => ({
      timestamp: iso,
      cwd,
      session_id: 'lead-1',
      hook_event_name: event,
      transcript_path: entryFile,
    }),
    {
      ...snakeRows,
      SessionStart: { source: 'new' },
      PreToolUse: vscodeTool,
      PostToolUse: { ...vscodeTool, tool_response: 'out' },
      SubagentStart: {},
      SubagentStop: { stop_hook_active: true },
      Stop: { stop_hook_active: true },
      PreCompact: { trigger: 'auto' },
    },
  )
  // VS Code has none of these, so they get the Copilot CLI's payload of that spelling, with VS Code's tool names.
  for (const event of ['SessionEnd', 'Notification', 'ErrorOccurred'] as const) vscode[event] = snake[event]
  for (const event of ['PostToolUseFailure', 'PermissionRequest'] as const)
    vscode[event] = { ...snake[event], tool_name: 'run_in_terminal' }
  const claudeTool = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'call_1' }
  return {
    vscode,
    snake,
    camel: table(camelChild, () => ({ sessionId: 'lead-1', timestamp: now, cwd }), {
      SessionStart: { source: 'new', initialPrompt: 'Do it.' },
      SessionEnd: { reason: 'complete' },
      UserPromptSubmit: { prompt: 'Hello' },
      PreToolUse: { toolName: 'bash', toolArgs: '{"command":"ls"}' },
      PostToolUse: {
        toolName: 'bash',
        toolArgs: '{"command":"ls"}',
        toolResult: { resultType: 'success', textResultForLlm: 'out' },
      },
      PostToolUseFailure: { toolName: 'bash', toolArgs: '{"command":"ls"}', error: 'bad' },
      PermissionRequest: { toolName: 'bash', toolArgs: '{"command":"ls"}' },
      SubagentStart: {
        transcriptPath: ownFile,
        agentName: 'worker',
        agentDisplayName: 'worker',
        agentDescription: 'Works',
      },
      SubagentStop: {
        transcriptPath: ownFile,
        agentDisplayName: 'worker',
        response: 'All done.',
        stopReason: 'end_turn',
      },
      Stop: { transcriptPath: ownFile, stopReason: 'end_turn', stop_hook_active: true },
      PreCompact: { transcriptPath: ownFile, trigger: 'auto', customInstructions: '' },
      Notification: { hook_event_name: 'Notification', ...notice },
      ErrorOccurred: { error, errorContext: 'model_call', recoverable: false },
    }),
    claude: table(
      snakeChild,
      (event) => ({
        session_id: 'lead-1',
        transcript_path: entryFile,
        cwd,
        permission_mode: 'default',
        hook_event_name: event,
      }),
      {
        SessionStart: { source: 'startup', model: 'scripted:test' },
        SessionEnd: { reason: 'other' },
        UserPromptSubmit: { prompt: 'Hello' },
        PreToolUse: claudeTool,
        PostToolUse: { ...claudeTool, tool_response: 'out' },
        PostToolUseFailure: { ...claudeTool, error: 'bad', is_interrupt: false },
        PermissionRequest: claudeTool,
        SubagentStart: {},
        SubagentStop: {
          stop_hook_active: true,
          agent_transcript_path: ownFile,
          last_assistant_message: 'All done.',
        },
        Stop: { stop_hook_active: true, last_assistant_message: 'All done.' },
        PreCompact: { trigger: 'auto', custom_instructions: null },
        Notification: notice,
        ErrorOccurred: { error, error_context: 'model_call', recoverable: false },
      },
    ),
  }
}

const onlyEntry: readonly Event[] = ['SessionStart', 'SessionEnd', 'UserPromptSubmit', 'Stop']
const onlyChild: readonly Event[] = ['SubagentStart', 'SubagentStop']

function recordingProject(): HookProject {
  const flat = (format: Format, camel = false) =>
    Object.fromEntries(
      names.map((event) => [
        camel ? events[event] : event,
        [{ type: 'command', command: record(`${format}.${event}`) }],
      ]),
    )
  const nested = Object.fromEntries(
    names.map((event) => [
      event,
      [{ matcher: '', hooks: [{ type: 'command', command: record(`claude.${event}`) }] }],
    ]),
  )
  return createHookProject({
    '.github/hooks/vscode.json': { hooks: flat('vscode') },
    '.github/hooks/camel.json': { version: 1, hooks: flat('camel', true) },
    '.github/hooks/snake.json': { version: 1, hooks: flat('snake') },
    '.claude/settings.json': { hooks: nested },
  })
}

async function everythingHappens(project: HookProject, depth: number): Promise<void> {
  const hooks = project.hooks()
  const session = sessionAt(project.path, depth)
  const call = callOf('execute_command', { command: 'ls' })
  const report = { type: 'report', status: 'completed', text: 'All done.' } as Report
  await hooks.onLifecycleEvent({ kind: 'session.started', source: 'startup' }, session, never)
  await hooks.onLifecycleEvent({ kind: 'prompt.given', prompt: 'Hello' }, session, never)
  await hooks.rule.judge(call, session, never)
  const verdict = { kind: 'ask', by: 'policy', rule: 'effects.execute', reason: 'because' } as const
  await hooks.answerer({ call, verdict }, session, never)
  await hooks.onLifecycleEvent({ kind: 'person.awaited', call, verdict }, session, never)
  await hooks.onLifecycleEvent(
    { kind: 'call.settled', call, outcome: 'done', content: 'out' },
    session,
    never,
  )
  await hooks.onLifecycleEvent(
    { kind: 'call.settled', call, outcome: 'failed', content: 'bad' },
    session,
    never,
  )
  await hooks.onLifecycleEvent({ kind: 'context.compacting' }, session, never)
  await hooks.onLifecycleEvent(
    { kind: 'error.occurred', code: 'backend', message: 'no answer' },
    session,
    never,
  )
  await hooks.reviewer({ report, stops: 1 }, session, never)
  await hooks.onLifecycleEvent({ kind: 'session.ended', report }, session, never)
}

describe.each([
  ['an entry session', 0],
  ['a delegated session', 1],
])('the payload of %s', (_, depth) => {
  it('is what each host documents, in every format, key by key', async () => {
    const project = recordingProject()
    await everythingHappens(project, depth)
    const expected = documented(project.path, { child: depth > 0 })
    for (const format of formats) {
      for (const event of names) {
        const name = `${format}.${event}`
        const fires = depth === 0 ? !onlyChild.includes(event) : !onlyEntry.includes(event)
        expect(project.recorded(name), `${name} ran`).toBe(fires)
        if (fires) expect(project.payload(name), name).toEqual(expected[format][event])
      }
    }
    expect(project.messages).toEqual([])
  })
})

describe('the delivery', () => {
  it('is on standard input and in a file that only the user can read and that is deleted afterwards', async () => {
    const project = recordingProject()
    await everythingHappens(project, 0)
    expect(project.text('records/camel.PreToolUse.file.json')).toBe(
      project.text('records/camel.PreToolUse.json'),
    )
    expect(project.text('records/camel.PreToolUse.mode')).toMatch(/^-rw-------/)
    expect(() => project.text(project.text('records/camel.PreToolUse.path'))).toThrow(/ENOENT/)
  })

  it('is in the project folder, with its path and no other Cadre variables', async () => {
    const project = recordingProject()
    await project
      .hooks()
      .rule.judge(callOf('execute_command', { command: 'ls' }), sessionAt('/elsewhere'), never)
    expect(project.text('records/claude.PreToolUse.cwd').trim()).toBe(project.path)
    const env = project.text('records/claude.PreToolUse.env')
    expect(env).toContain(`CLAUDE_PROJECT_DIR=${project.path}\n`)
    expect(env.match(/^\w+(?==)/gm)?.sort()).toEqual(
      expect.not.arrayContaining(['HOME', 'USER', 'NODE_OPTIONS', 'VITEST']),
    )
  })

  it.each([
    [
      'read_file',
      { path: 'a.txt' },
      ['read_file', { filePath: '/w/a.txt' }],
      ['view', { path: '/w/a.txt' }],
      ['Read', { file_path: '/w/a.txt' }],
    ],
    [
      'write_file',
      { path: 'a.txt', content: 'x' },
      ['create_file', { filePath: '/w/a.txt', content: 'x' }],
      ['create', { path: '/w/a.txt', file_text: 'x' }],
      ['Write', { file_path: '/w/a.txt', content: 'x' }],
    ],
    [
      'edit_file',
      { path: '/w/a.txt', old: 'x', new: 'y', all: true },
      ['replace_string_in_file', { filePath: '/w/a.txt', oldString: 'x', newString: 'y', replaceAll: true }],
      ['edit', { path: '/w/a.txt', old_str: 'x', new_str: 'y', replace_all: true }],
      ['Edit', { file_path: '/w/a.txt', old_string: 'x', new_string: 'y', replace_all: true }],
    ],
    [
      'search_files',
      { query: 'a.b' },
      ['grep_search', { query: 'a.b', isRegexp: false }],
      ['grep', { pattern: 'a\\.b', output_mode: 'content' }],
      ['Grep', { pattern: 'a\\.b', output_mode: 'content' }],
    ],
    [
      'find_files',
      { glob: '*.ts' },
      ['file_search', { query: '*.ts' }],
      ['glob', { pattern: '*.ts' }],
      ['Glob', { pattern: '*.ts' }],
    ],
    [
      'web_fetch',
      { url: 'https://a.test/' },
      ['fetch_webpage', { urls: ['https://a.test/'] }],
      ['web_fetch', { url: 'https://a.test/' }],
      ['WebFetch', { url: 'https://a.test/' }],
    ],
  ] as const)(
    '%s under the names of each host, with absolute paths',
    async (tool, input, vscode, copilot, claude) => {
      const project = recordingProject()
      await project.hooks().rule.judge(callOf(tool, input), sessionAt('/w'), never)
      expect(project.payload('vscode.PreToolUse')).toMatchObject({
        tool_name: vscode[0],
        tool_input: vscode[1],
      })
      expect(project.payload('camel.PreToolUse')).toMatchObject({
        toolName: copilot[0],
        toolArgs: JSON.stringify(copilot[1]),
      })
      expect(project.payload('snake.PreToolUse')).toMatchObject({
        tool_name: claude[0],
        tool_input: copilot[1],
      })
      expect(project.payload('claude.PreToolUse')).toMatchObject({
        tool_name: claude[0],
        tool_input: claude[1],
      })
    },
  )
})
