import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { AgentDefinition, Report, Verdict } from '@cadre/core'
import { nudgeLimits } from '@cadre/core'
import { call, createTestTeam, defineAgent, say } from '@cadre/testing'
import { describe, expect } from 'vitest'
import { sampled } from '../support/amount.ts'
import { createHookProject, record } from './support/hook-project.ts'
import { callOf, never, sessionAt, tools } from './support/sessions.ts'

const it = sampled(4)

const bash = callOf('execute_command', { command: 'ls' })
const pre = (...commands: string[]) => ({
  hooks: { PreToolUse: commands.map((command) => ({ type: 'command', command })) },
})

it.each([
  ['complete', { status: 'completed' }],
  ['complete', { status: 'incomplete', notices: [{ code: 'sections', message: 'x' }] }],
  ['abort', { status: 'cancelled' }],
  ['error', { status: 'error', notices: [{ code: 'backend', message: 'x' }] }],
  ['timeout', { status: 'error', notices: [{ code: 'timeout', message: 'took longer' }] }],
])('a session ends with the reason %s', async (reason, ended) => {
  const project = createHookProject({
    '.github/hooks/a.json': {
      version: 1,
      hooks: { sessionEnd: [{ type: 'command', command: record('a') }] },
    },
  })
  const report = { session: 's', agent: 'lead', text: '', ...ended } as unknown as Report
  await project.hooks().onLifecycleEvent({ kind: 'session.ended', report }, sessionAt(project.path), never)
  expect(project.payload('a')).toMatchObject({ reason })
})

describe('before a call', () => {
  it('a call without a matching hook is answered immediately', () => {
    const project = createHookProject({
      '.claude/settings.json': {
        hooks: { PreToolUse: [{ matcher: 'Write', hooks: [{ type: 'command', command: record('a') }] }] },
      },
    })
    const { rule, wouldRun, events } = project.hooks()
    expect(rule.judge(bash, sessionAt(project.path), never)).toBeUndefined()
    expect(wouldRun(bash, sessionAt(project.path))).toEqual([])
    expect(rule.immediate).toBeUndefined()
    expect([...events]).toEqual(['PreToolUse'])
    const without = createHookProject({ '.claude/settings.json': { hooks: { Stop: [] } } }).hooks()
    expect(without.rule.immediate).toBe(true)
  })

  it('a hook of Claude Code with an invalid matcher never runs, and the file is reported', () => {
    const project = createHookProject({
      '.claude/settings.json': {
        hooks: { PreToolUse: [{ matcher: 'Bash(', hooks: [{ type: 'command', command: record('a') }] }] },
      },
    })
    const { rule, wouldRun } = project.hooks()
    expect(rule.judge(bash, sessionAt(project.path), never)).toBeUndefined()
    expect(wouldRun(bash, sessionAt(project.path))).toEqual([])
    expect(project.find().diagnostics).toMatchObject([
      { severity: 'warning', message: expect.stringContaining('never runs, as in Claude Code') },
    ])
  })

  it('the strictest of several hooks wins, by name and line, and allow loosens nothing', async () => {
    const project = createHookProject({
      '.github/hooks/a.json': pre(
        record('a', { permissionDecision: 'allow' }),
        record('b', { permissionDecision: 'ask', permissionDecisionReason: 'look' }),
      ),
      '.claude/settings.json': pre(record('c', { permissionDecision: 'allow' })),
    })
    const verdict = (await project.hooks().rule.judge(bash, sessionAt(project.path), never)) as Verdict
    expect(verdict).toMatchObject({ kind: 'ask', by: 'hook', rule: 'hook: .github/hooks/a.json:8' })
    expect(verdict.reason).toBe('look (hook .github/hooks/a.json:8)')
    expect(verdict).not.toHaveProperty('grants')
    expect(project.recorded('c')).toBe(true)
  })

  it('a denial ends the evaluation, and the context of earlier hooks is kept', async () => {
    const project = createHookProject({
      '.github/hooks/a.json': pre(
        record('a', { additionalContext: 'first' }),
        record('b', { permissionDecision: 'deny' }),
        record('c'),
      ),
    })
    const verdict = await project.hooks().rule.judge(bash, sessionAt(project.path), never)
    expect(verdict).toMatchObject({ kind: 'deny', context: 'first' })
    expect(project.recorded('c')).toBe(false)
  })

  it('a question of the administrator is for a person, who comes last and sees the final arguments', async () => {
    const project = createHookProject({
      '.claude/settings.json': pre(
        record('a', { hookSpecificOutput: { updatedInput: { command: 'ls -l' } } }),
      ),
      '../hooks.d/x.json': pre(record('admin', { permissionDecision: 'ask' })),
    })
    const verdict = await project.hooks().rule.judge(bash, sessionAt(project.path), never)
    expect(verdict).toMatchObject({ kind: 'ask', firm: true, input: { command: 'ls -l' } })
    expect(project.payload('admin')).toMatchObject({ tool_input: { command: 'ls -l' } })
  })

  it('a call that changes several files is shown file by file', async () => {
    const guard = `if grep -q secret.env; then echo no secrets >&2; exit 2; fi`
    const project = createHookProject({ '.claude/settings.json': pre(guard) })
    const session = sessionAt(project.path)
    const { rule } = project.hooks()
    const edits = ['a.txt', 'secret.env'].map((file) => ({ path: file, old: 'x', new: 'y' }))
    expect(await rule.judge(callOf('edit_file', { edits }), session, never)).toMatchObject({ kind: 'deny' })
    expect(
      await rule.judge(callOf('edit_file', { edits: edits.slice(0, 1) }), session, never),
    ).toBeUndefined()
    const patch =
      '*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** Update File: secret.env\n@@\n-x\n+y\n*** End Patch\n'
    expect(await rule.judge(callOf('edit_file', { patch }), session, never)).toMatchObject({ kind: 'deny' })
  })

  it('can end the session', async () => {
    const project = createHookProject({
      '.claude/settings.json': pre(record('a', { continue: false, stopReason: 'enough' })),
    })
    expect(await project.hooks().rule.judge(bash, sessionAt(project.path), never)).toMatchObject({
      kind: 'deny',
      stop: 'enough',
    })
  })

  it('cancelling kills the hook and everything it started', async () => {
    const project = createHookProject({
      '.claude/settings.json': pre(
        'sleep 1000 & echo $! > child; mkfifo -m 600 ready 2>/dev/null; echo go > ready; wait',
      ),
    })
    const abort = new AbortController()
    const judged = project.hooks().rule.judge(bash, sessionAt(project.path), abort.signal)
    const { readFile } = await import('node:fs/promises')
    while (!existsSync(path.join(project.path, 'ready')))
      await new Promise((resolve) => setImmediate(resolve))
    await readFile(path.join(project.path, 'ready'), 'utf8')
    abort.abort()
    expect(await judged).toMatchObject({ kind: 'deny', reason: expect.stringContaining('cancelled') })
    const pid = Number(readFileSync(path.join(project.path, 'child'), 'utf8'))
    expect(await ends(pid)).toBe(true)
  })

  it('a hundred at once wait their turn, and the event loop is not blocked', async () => {
    const project = createHookProject({
      '.claude/settings.json': pre(
        'echo x >> count; ls -d running.* 2>/dev/null | wc -l >> most; mkdir running.$$; sleep 0.01; rmdir running.$$',
      ),
    })
    const { rule } = project.hooks({ max: 4 })
    let turns = 0
    let over = false
    const turn = () => {
      turns += 1
      if (!over) setImmediate(turn)
    }
    setImmediate(turn)
    const session = sessionAt(project.path)
    await Promise.all(Array.from({ length: 100 }, () => rule.judge(bash, session, never)))
    over = true
    expect(project.text('count').match(/x/g)).toHaveLength(100)
    expect(Math.max(...project.text('most').trim().split('\n').map(Number))).toBeLessThan(4)
    expect(turns).toBeGreaterThan(100)
  })
})

describe('arguments that a hook changes', () => {
  const changing = (input: object) =>
    createHookProject({
      '.claude/settings.json': pre(record('a', { hookSpecificOutput: { updatedInput: input } })),
    })
  const run = async (project: ReturnType<typeof createHookProject>, asked: object) => {
    const team = createTestTeam({
      agents: [{ name: 'lead' }],
      lanes: { lead: [call(['write_file', asked]), say('done')] },
      tools,
      rules: [project.hooks().rule],
    })
    const report = await team.report({ agent: 'lead', workspace: project.path })
    return { report, events: team.events }
  }

  it('have the names of the host, and are translated to those of the tool', async () => {
    const project = changing({ file_path: 'other.txt', content: 'changed' })
    await run(project, { path: 'a.txt', content: 'x' })
    expect(project.text('other.txt')).toBe('changed')
    expect(existsSync(path.join(project.path, 'a.txt'))).toBe(false)
  })

  it.each([
    ['lack something', { file_path: 'other.txt' }],
    ['have the wrong kind', { file_path: 'other.txt', content: 7 }],
  ])('that %s deny the call', async (_, input) => {
    const project = changing(input)
    const { events } = await run(project, { path: 'a.txt', content: 'x' })
    expect(existsSync(path.join(project.path, 'a.txt'))).toBe(false)
    expect(existsSync(path.join(project.path, 'other.txt'))).toBe(false)
    expect(JSON.stringify(events)).toMatch(/content/)
    expect(events.some((event) => 'outcome' in event && event.outcome === 'refused')).toBe(true)
  })
})

describe('the whole tree', () => {
  it.each([0, 1, 2, 3])(
    'a hook in the project denies at depth %i and is told which session it was',
    async (depth) => {
      const project = createHookProject({
        '.claude/settings.json': pre(record('a', { permissionDecision: 'deny' })),
      })
      const session = sessionAt(project.path, depth)
      expect(await project.hooks().rule.judge(bash, session, never)).toMatchObject({ kind: 'deny' })
      const told = project.payload('a')
      expect(told['session_id']).toBe('lead-1')
      expect(told['agent_id']).toBe(depth === 0 ? undefined : `worker-${depth}`)
      expect(told['agent_name']).toBe(depth === 0 ? undefined : 'worker')
    },
  )

  it('an agent’s hooks also deny calls of the agents it starts', async () => {
    const project = createHookProject()
    const guarded = agentWith('lead', pre(record('own', { permissionDecision: 'deny' })).hooks)
    const agents = { get: (name: string) => (name === 'lead' ? guarded : undefined), list: () => [guarded] }
    const hooks = project.hooks({ agents })
    expect(hooks.rule.immediate).toBeUndefined()
    for (const depth of [1, 2, 3])
      expect(await hooks.rule.judge(bash, sessionAt(project.path, depth), never)).toMatchObject({
        kind: 'deny',
      })
    const stranger = sessionAt(project.path, 0, { agent: defineAgent({ name: 'other' }), chain: ['other'] })
    expect(hooks.rule.judge(bash, stranger, never)).toBeUndefined()
  })

  it('hooks of an agent in the project run only if trusted', async () => {
    const project = createHookProject()
    const guarded = {
      ...agentWith('lead', pre(record('own')).hooks),
      source: { path: path.join(project.path, '.claude/agents/lead.md'), dialect: 'claude' },
    }
    const session = sessionAt(project.path, 0, { agent: guarded })
    expect(project.hooks({ trusted: () => false }).rule.judge(bash, session, never)).toBeUndefined()
    await project.hooks({ trusted: () => true }).rule.judge(bash, session, never)
    expect(project.payload('own')).toMatchObject({ permission_mode: 'default' })
  })

  it("a delegated agent's own Stop hooks run as SubagentStop; the project's Stop hooks do not", async () => {
    const project = createHookProject({
      '.claude/settings.json': {
        hooks: { Stop: [{ hooks: [{ type: 'command', command: record('project') }] }] },
      },
    })
    const agent = agentWith('worker', {
      Stop: [{ type: 'command', command: record('own', { decision: 'block', reason: 'more' }) }],
    })
    const session = sessionAt(project.path, 1, { agent })
    const report = { text: 'done' } as Parameters<ReturnType<typeof project.hooks>['reviewer']>[0]['report']
    const review = await project.hooks().reviewer({ report, stops: 0 }, session, never)
    expect(review).toMatchObject({ kind: 'return', by: 'stop', reason: expect.stringContaining('more') })
    expect(project.recorded('project')).toBe(false)
    expect(project.payload('own')).toMatchObject({ hook_event_name: 'SubagentStop', stop_hook_active: false })
  })

  it('a stop gate that never opens holds a session a few times, then its report is marked', async () => {
    const project = createHookProject({
      '.claude/settings.json': {
        hooks: {
          Stop: [
            { hooks: [{ type: 'command', command: 'cat >> stops; echo >> stops; echo again >&2; exit 2' }] },
          ],
        },
      },
    })
    const lines = Array.from({ length: nudgeLimits.stop + 1 }, () => say('done'))
    const team = createTestTeam({
      agents: [{ name: 'lead' }],
      lanes: { lead: lines },
      reviewers: [project.hooks().reviewer],
    })
    const report = await team.report({ agent: 'lead', workspace: project.path })
    expect(report.status).toBe('incomplete')
    const active = project
      .text('stops')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { stop_hook_active: boolean }).stop_hook_active)
    expect(active.slice(0, 3)).toEqual([false, true, true])
  })
})

describe('after a call and in between', () => {
  it('the result can be replaced, one hook after the other, and commented', async () => {
    const project = createHookProject({
      '.github/hooks/a.json': {
        version: 1,
        hooks: {
          postToolUse: [
            { bash: record('a', { modifiedResult: { resultType: 'success', textResultForLlm: 'less' } }) },
            { bash: record('b', { additionalContext: 'note' }) },
          ],
        },
      },
    })
    const attention = await project
      .hooks()
      .onLifecycleEvent(
        { kind: 'call.settled', call: bash, outcome: 'done', content: 'much' },
        sessionAt(project.path),
        never,
      )
    expect(attention).toEqual({ content: 'less', context: 'note' })
    expect(project.payload('b')).toMatchObject({ toolResult: { textResultForLlm: 'less' } })
  })

  it('a prompt that one hook rejects is not shown to the next', async () => {
    const project = createHookProject({
      '.claude/settings.json': {
        hooks: {
          UserPromptSubmit: [
            { hooks: [{ type: 'command', command: record('a', { decision: 'block', reason: 'no' }) }] },
            { hooks: [{ type: 'command', command: record('b') }] },
          ],
        },
      },
    })
    const attention = await project
      .hooks()
      .onLifecycleEvent({ kind: 'prompt.given', prompt: 'x' }, sessionAt(project.path), never)
    expect(attention).toEqual({ blocked: 'no' })
    expect(project.recorded('b')).toBe(false)
  })

  it('a failing one is reported to the person and blocks nothing', async () => {
    const project = createHookProject({
      '.claude/settings.json': {
        hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'exit 7' }] }] },
      },
    })
    const attention = await project
      .hooks()
      .onLifecycleEvent({ kind: 'session.started', source: 'resume' }, sessionAt(project.path), never)
    expect(attention).toEqual({
      notices: [{ code: 'hook', message: 'hook .claude/settings.json:6: the hook failed with exit code 7' }],
    })
  })

  it('a refused, cancelled or doubtful call did not use the tool', () => {
    const project = createHookProject({
      '.claude/settings.json': {
        hooks: {
          PostToolUse: [{ hooks: [{ type: 'command', command: record('a') }] }],
          PostToolUseFailure: [{ hooks: [{ type: 'command', command: record('b') }] }],
        },
      },
    })
    const { onLifecycleEvent } = project.hooks()
    for (const outcome of ['refused', 'cancelled', 'in_doubt'] as const)
      expect(
        onLifecycleEvent(
          { kind: 'call.settled', call: bash, outcome, content: '' },
          sessionAt(project.path),
          never,
        ),
      ).toBeUndefined()
  })

  it('a once hook runs once per session', async () => {
    const project = createHookProject({
      '.claude/settings.json': {
        hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'echo x >> count', once: true }] }] },
      },
    })
    const { rule } = project.hooks()
    for (const depth of [0, 0, 1]) await rule.judge(bash, sessionAt(project.path, depth), never)
    expect(project.text('count')).toBe('x\nx\n')
  })

  it('a background hook is not waited for, and decides nothing', async () => {
    const project = createHookProject({
      '.claude/settings.json': {
        hooks: {
          PreToolUse: [{ hooks: [{ type: 'command', command: 'mkfifo go; cat go; exit 2', async: true }] }],
        },
      },
    })
    expect(await project.hooks().rule.judge(bash, sessionAt(project.path), never)).toBeUndefined()
    while (!existsSync(path.join(project.path, 'go'))) await new Promise((resolve) => setTimeout(resolve, 10))
    const { writeFile } = await import('node:fs/promises')
    await writeFile(path.join(project.path, 'go'), 'x')
  })
})

describe('answers for a person', () => {
  const verdict = { kind: 'ask', by: 'policy', rule: 'effects.execute', reason: 'because' } as const
  it.each([
    [['allow'], 'allow'],
    [['allow', 'deny'], 'deny'],
    [['deny', 'allow'], 'deny'],
    [['nothing'], undefined],
  ])('%j result in %s', async (behaviors, expected) => {
    const project = createHookProject({
      '.github/hooks/a.json': {
        version: 1,
        hooks: {
          permissionRequest: behaviors.map((behavior, at) => ({
            bash: record(`p${at}`, { behavior, message: 'so' }),
          })),
        },
      },
    })
    const answer = await project.hooks().answerer({ call: bash, verdict }, sessionAt(project.path, 2), never)
    expect(answer?.kind).toBe(expected)
    if (answer !== undefined) expect(answer.by).toBe('hook')
  })
})

function agentWith(name: string, hooks: object): AgentDefinition {
  return defineAgent({ name, hooks: JSON.parse(JSON.stringify(hooks)) })
}

/** Resolves with true when a process is gone or a zombie. */
async function ends(pid: number): Promise<boolean> {
  for (;;) {
    try {
      process.kill(pid, 0)
      if (/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))) return true
    } catch {
      return true
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
}
