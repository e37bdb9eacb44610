import { call, createTestTeam, say } from '@cadre/testing'
import { describe, expect, it } from 'vitest'
import { createHookProject, type HookProject } from './support/hook-project.ts'
import { tools } from './support/sessions.ts'

/** Appends every payload to one file; its output depends on the event. */
const logger = `
payload=$(cat)
printf '%s\\n' "$payload" >> log
case "$payload" in
  *'"hook_event_name":"SubagentStart"'*) echo '{"hookSpecificOutput":{"additionalContext":"FROM SUBAGENTSTART"}}' ;;
  *'"hook_event_name":"PostToolUse"'*) echo '{"hookSpecificOutput":{"additionalContext":"FROM POSTTOOLUSE"}}' ;;
  *'"hook_event_name":"PreToolUse"'*forbidden*) echo 'not that file' >&2; exit 2 ;;
esac
`
const events = [
  'SessionStart',
  'SessionEnd',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'SubagentStart',
  'SubagentStop',
  'Stop',
]

function loggingProject(): HookProject {
  const hooks = Object.fromEntries(
    events.map((event) => [event, [{ hooks: [{ type: 'command', command: 'sh log.sh' }] }]]),
  )
  return createHookProject({ '.claude/settings.json': { hooks }, 'log.sh': logger })
}

function logOf(project: HookProject): Record<string, unknown>[] {
  return project
    .text('log')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

const write = (path: string): readonly [string, unknown] => ['write_file', { path, content: 'x' }]
const delegate = (agentName: string): readonly [string, unknown] => [
  'delegateWork',
  { agentName, workDescription: 'Write it.', reportExpectations: 'What you did' },
]
const reportOut = call(['reportOut', { report: 'Done.' }])

describe('a run of several agents', () => {
  const run = async (lanes: Parameters<typeof createTestTeam>[0]['lanes'], project = loggingProject()) => {
    const hooks = project.hooks()
    const team = createTestTeam({
      agents: [
        { name: 'lead', delegates: { kind: 'list', names: ['worker'] } },
        { name: 'worker', type: 'operator', delegates: { kind: 'list', names: ['helper'] } },
        { name: 'helper', delegates: { kind: 'list', names: ['deepest'] } },
        { name: 'deepest' },
      ],
      lanes,
      tools,
      rules: [hooks.rule],
      reviewers: [hooks.reviewer],
      answerers: [hooks.answerer],
      onLifecycleEvent: hooks.onLifecycleEvent,
    })
    const report = await team.report({ agent: 'lead', workspace: project.path })
    return { team, report, project }
  }

  it("runs the hooks in order, with the session's identity", async () => {
    const { project, report, team } = await run({
      lead: [call(delegate('worker')), say('All done.')],
      worker: [call(write('a.txt')), reportOut],
    })
    expect(report.status).toBe('completed')
    const told = logOf(project).map(({ hook_event_name, agent_name, agent_type, tool_name }) =>
      [hook_event_name, agent_name, agent_type, tool_name].filter((part) => part !== undefined).join(' '),
    )
    expect(told).toEqual([
      'SessionStart',
      'UserPromptSubmit',
      'PreToolUse Agent',
      'SubagentStart worker operator',
      'PreToolUse worker operator Write',
      'PostToolUse worker operator Write',
      'SubagentStop worker operator',
      'PostToolUse Agent',
      'Stop',
      'SessionEnd',
    ])
    const session = logOf(project)[0]?.['session_id']
    expect(logOf(project).every((payload) => payload['session_id'] === session)).toBe(true)
    const asked = JSON.stringify(team.models.requests)
    expect(asked).toContain('FROM SUBAGENTSTART')
    expect(asked).toContain('FROM POSTTOOLUSE')
  })

  it('denies the same at every depth, even in parallel children', async () => {
    const { project, team } = await run({
      lead: [call(write('forbidden-0'), delegate('worker'), delegate('worker')), say('Done.')],
      worker: [
        call(write('forbidden-1'), delegate('helper')),
        call(write('forbidden-1b'), delegate('helper')),
        reportOut,
        reportOut,
      ],
      helper: [
        call(write('forbidden-2'), delegate('deepest')),
        call(write('forbidden-2b')),
        reportOut,
        reportOut,
      ],
      deepest: [call(write('forbidden-3')), reportOut],
    })
    const refused = team.events.filter(
      (event) => event.type === 'call.settled' && event.outcome === 'refused',
    )
    expect(refused.length).toBeGreaterThanOrEqual(5)
    for (const name of [
      'forbidden-0',
      'forbidden-1',
      'forbidden-2',
      'forbidden-3',
      'forbidden-1b',
      'forbidden-2b',
    ])
      expect(() => project.text(name), name).toThrow(/ENOENT/)
    expect(JSON.stringify(team.events)).toContain('hook: .claude/settings.json')
  })
})
