import { spawnSync } from 'node:child_process'
import { cpSync, linkSync, mkdirSync, symlinkSync, utimesSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { isDeep, sampled, share } from '../support/amount.ts'
import { createWorkspace } from './support/boundary-team.ts'

const it = sampled(3)

const shipped = fileURLToPath(new URL('../../packages/gate/hooks/', import.meta.url))
const harness = fileURLToPath(new URL('../../scripts/test-hook-artifacts.mjs', import.meta.url))

type Json = Record<string, unknown>

/** A project with the hooks, and another folder from which they are started. */
function install() {
  const project = createWorkspace({ 'src/a.js': 'a' })
  cpSync(shipped, project.at('.github/hooks'), { recursive: true })
  const elsewhere = createWorkspace()
  const run = (script: string, input: Json | string, env: NodeJS.ProcessEnv = {}, args: string[] = []) => {
    const file = project.at('.github/hooks/scripts', `${script}.mjs`)
    const ended = spawnSync(process.execPath, [file, ...args], {
      cwd: elsewhere.path,
      input: typeof input === 'string' ? input : JSON.stringify(input),
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], ...env },
    })
    expect(ended.stderr).toBe('')
    expect(ended.status).toBe(0)
    return ended.stdout === '' ? undefined : (JSON.parse(ended.stdout) as Json)
  }
  return { project, elsewhere, run }
}

test.runIf(isDeep)('the test script passes, by hand and in a run of Cadre', () => {
  const { stdout, status } = spawnSync(process.execPath, [harness, '--cadre'], { encoding: 'utf8' })
  expect(stdout).not.toContain('FAIL')
  expect(stdout).toContain('All checks passed.')
  expect(status).toBe(0)
})

describe('the security check', () => {
  const own = '.github/hooks/artifacts/researcher.md'
  const decision = (said: Json | undefined) => said?.['permissionDecision'] ?? 'allow'
  const patch = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')

  test.each(
    share<[string, string, string | Json, string, unknown]>(
      [
        ['allow', 'its artifact', 'researcher', 'create_file', { filePath: own, content: '' }],
        [
          'allow',
          'by an absolute path',
          'researcher',
          'write_file',
          { path: `{project}/${own}`, content: '' },
        ],
        [
          'allow',
          'by a roundabout path',
          'researcher',
          'edit',
          { path: `src/../${own}`, old: 'a', new: 'b' },
        ],
        ['allow', 'with a prefix', 'recursive-researcher', 'Write', { file_path: own, content: '' }],
        [
          'allow',
          'as a display name',
          { agentDisplayName: 'Vision Operator' },
          'create',
          { path: '.github/hooks/artifacts/vision-operator.md' },
        ],
        [
          'allow',
          'in a patch',
          'researcher',
          'apply_patch',
          patch(`*** Update File: ${own}`, '@@', '-a', '+b'),
        ],
        [
          'allow',
          'as JSON text',
          'researcher',
          'create_file',
          JSON.stringify({ filePath: own, content: '' }),
        ],
        ['allow', 'reading', 'researcher', 'read_file', { path: 'src/a.js' }],
        [
          'allow',
          'reading by a tool of many commands',
          'researcher',
          'str_replace_editor',
          { command: 'view', path: 'src/a.js' },
        ],
        ['allow', 'somebody else', 'stranger', 'create_file', { filePath: 'src/a.js', content: '' }],
        ['allow', 'the builder', 'builder', 'create_file', { filePath: 'src/a.js', content: '' }],
        [
          'allow',
          "the builder's artifact",
          'builder',
          'create_file',
          { filePath: '.github/hooks/artifacts/builder.md', content: '' },
        ],
        ['allow', 'a check', 'verifier', 'run_in_terminal', { command: 'npm test' }],
        [
          'deny',
          'the hooks',
          'builder',
          'create_file',
          { filePath: '.github/hooks/scripts/security-check.mjs', content: '' },
        ],
        [
          'deny',
          'the settings with the hooks',
          'builder',
          'Write',
          { file_path: '{project}/.claude/settings.json', content: '{}' },
        ],
        ['deny', 'another file', 'researcher', 'create_file', { filePath: 'src/a.js', content: '' }],
        [
          'deny',
          'its path in what is written',
          'researcher',
          'create_file',
          { filePath: 'src/a.js', content: own },
        ],
        [
          'deny',
          'its path in another key',
          'researcher',
          'replace_string_in_file',
          { filePath: 'src/a.js', oldString: own, newString: own },
        ],
        [
          'deny',
          "another one's artifact",
          'researcher',
          'create_file',
          { filePath: '.github/hooks/artifacts/architect.md' },
        ],
        ['deny', 'no path', 'researcher', 'insert_edit_into_file', { code: own }],
        ['deny', 'one of several', 'researcher', 'editFiles', { files: [own, 'src/a.js'] }],
        [
          'deny',
          'one of several edits',
          'researcher',
          'MultiEdit',
          { edits: [{ filePath: own }, { filePath: 'src/a.js' }] },
        ],
        [
          'deny',
          'a second file of a patch',
          'researcher',
          'apply_patch',
          { input: patch(`*** Update File: ${own}`, '@@', '-a', '+b', '*** Delete File: src/a.js') },
        ],
        [
          'deny',
          'a patch that moves',
          'researcher',
          'apply_patch',
          { input: patch(`*** Update File: ${own}`, '*** Move to: src/b.js', '@@', '-a', '+b') },
        ],
        [
          'deny',
          'a diff',
          'researcher',
          'applyPatch',
          { patch: '--- a/src/a.js\n+++ b/src/a.js\n@@\n-a\n+b\n' },
        ],
        ['deny', 'a move', 'researcher', 'renameFile', { from: own, to: 'src/b.js' }],
        ['deny', 'a tool set', 'architect', 'edit/createFile', { filePath: 'src/a.js', content: '' }],
        [
          'deny',
          'a tool nobody knows that is given content',
          'architect',
          'mcp__fs__put',
          { path: 'src/a.js', content: '' },
        ],
        ['deny', 'a shell', 'researcher', 'bash', { command: 'ls' }],
        ['deny', 'a shell by another name', 'architect', 'runInTerminal', { command: 'ls' }],
        ['deny', 'a shell nobody knows', 'architect', 'mcp__x__go', { command: 'ls' }],
        ['deny', 'words of a command', 'architect', 'shell', { command: ['ls', '-l'] }],
        ['deny', 'the supervisor', 'supervisor', 'create_file', { filePath: 'src/a.js', content: '' }],
        [
          'deny',
          'the artifact of the supervisor',
          'Supervisor',
          'create_file',
          { filePath: '.github/hooks/artifacts/supervisor.md' },
        ],
        ['deny', 'a shell of the supervisor', 'supervisor', 'execute_command', { command: 'ls' }],
        ['deny', 'danger, by anybody', 'stranger', 'bash', { command: 'git status && rm -rf /' }],
        ['deny', 'danger, by the builder', 'builder', 'bash', { command: 'git push -f' }],
        [
          'deny',
          'the strictest of what it is called',
          { agent_type: 'builder', agent_name: 'researcher' },
          'bash',
          { command: 'ls' },
        ],
      ],
      9,
    ),
  )('%s: %s', (expected, _, agent, tool, given) => {
    const { project, run } = install()
    const input = JSON.parse(JSON.stringify(given).replace('{project}', project.path))
    const said = run('security-check', {
      hook_event_name: 'PreToolUse',
      cwd: project.path,
      ...(typeof agent === 'string' ? { agent_type: agent } : agent),
      tool_name: tool,
      tool_input: input,
    })
    expect(decision(said)).toBe(expected)
    if (said !== undefined)
      expect(said).toMatchObject({
        permissionDecisionReason: expect.stringMatching(/\w{3}/),
        hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' },
      })
  })

  test('reads the names of every program, a file, and a role from its arguments', () => {
    const { project, run, elsewhere } = install()
    const camel = {
      sessionId: 's',
      agentType: 'researcher',
      toolName: 'create',
      toolArgs: '{"path":"src/a.js"}',
    }
    expect(decision(run('security-check', { ...camel, cwd: project.path }))).toBe('deny')
    // Without a named folder: that of the hooks.
    expect(decision(run('security-check', camel))).toBe('deny')
    expect(decision(run('security-check', { ...camel, toolArgs: { path: own } }))).toBe('allow')
    elsewhere.write('input.json', JSON.stringify(camel))
    expect(decision(run('security-check', '', { COPILOT_HOOK_INPUT_PATH: elsewhere.at('input.json') }))).toBe(
      'deny',
    )
    const unnamed = { toolName: 'create', toolArgs: { path: 'src/a.js' }, cwd: project.path }
    expect(decision(run('security-check', unnamed))).toBe('allow')
    expect(decision(run('security-check', unnamed, {}, ['--agent', 'architect']))).toBe('deny')
    expect(
      run('security-check', { hook_event_name: 'PostToolUse', agent_type: 'researcher', tool_name: 'bash' }),
    ).toBe(undefined)
  })

  test.each(['', 'nonsense', '[]', '"x"', 'null'])('denies invalid input: %s', (input) => {
    const { run } = install()
    expect(decision(run('security-check', input))).toBe('deny')
  })

  test('denies if the tool is not named', () => {
    const { run } = install()
    expect(decision(run('security-check', { agent_type: 'researcher' }))).toBe('deny')
  })

  test('compares resolved paths', () => {
    const { project: other, run: check } = install()
    const write = (file: string) =>
      decision(
        check('security-check', {
          cwd: other.path,
          agent_type: 'researcher',
          tool_name: 'write',
          tool_input: { path: file, content: '' },
        }),
      )
    mkdirSync(other.at('.github/hooks/artifacts'), { recursive: true })
    symlinkSync(other.at('src/a.js'), other.at(own))
    expect(write(own)).toBe('deny')
    symlinkSync('/nowhere/at/all', other.at('.github/hooks/artifacts/verifier.md'))
    const { project: third, run: again } = install()
    third.write(own, '')
    linkSync(third.at(own), third.at('src/twin.js'))
    const said = again('security-check', {
      cwd: third.path,
      agent_type: 'researcher',
      tool_name: 'write',
      tool_input: { path: own, content: '' },
    })
    expect(decision(said)).toBe('deny')
    symlinkSync(third.path, other.at('link'))
    expect(write(`link/${own}`)).toBe('deny')
  })
})

const { dangerIn } = await import(path.join(shipped, 'scripts/dangerous-command.mjs'))

describe('dangerous commands', () => {
  test.each(
    share(
      [
        'rm -rf /',
        'rm -fr /',
        'rm -r -f /*',
        'rm --recursive --force /',
        'rm -rf "/"',
        "r'm' -rf /",
        '\\rm -rf /',
        'r\\m -rf /',
        '/bin/rm -rf /',
        'rm -rf ~',
        'rm -rf $HOME',
        'rm -rf /etc',
        'rm -rf /usr/*',
        'rm -rf --no-preserve-root x',
        'ls && rm -rf /',
        'ls; rm -rf /',
        'ls | rm -rf /',
        'ls & rm -rf /',
        'ls\nrm -rf /',
        '(rm -rf /)',
        '{ rm -rf /; }',
        'echo $(rm -rf /)',
        'echo "`rm -rf /`"',
        'echo "$(rm -rf /)"',
        'cat <(rm -rf /)',
        'if true; then rm -rf /; fi',
        'sudo rm -rf /',
        'sudo -u root rm -rf /',
        'env A=b rm -rf /',
        'A=b rm -rf /',
        'timeout 5 rm -rf /',
        'nohup nice -n 5 rm -rf /',
        "bash -c 'rm -rf /'",
        'bash -lc "sudo rm -rf /"',
        'sh -c "sh -c \'rm -rf /\'"',
        "eval 'rm -rf /'",
        'echo "rm -rf /" | sh',
        'find . -exec rm -rf / \\;',
        'find / -delete',
        '$(echo rm) -rf /',
        'Remove-Item -Recurse -Force C:\\',
        'remove-item C:\\ -r -fo',
        'powershell -Command "Remove-Item -Recurse -Force C:\\"',
        'powershell -enc AAAA',
        'del /s /q C:\\',
        'cmd /c del /s /q C:\\*',
        'rd /s /q C:\\',
        'format C:',
        'format.com d: /q',
        'psql -c "DROP TABLE users"',
        'echo "drop   database x" | mysql',
        'DROP TABLE users',
        'git push --force',
        'git push -f origin main',
        'git push origin main --force-with-lease',
        'git push -uf origin main',
        'git push origin +main',
        'git -C sub -c a=b push -f',
        'git reset --hard',
        'git reset HEAD~1 --hard',
        'shutdown -h now',
        'sudo reboot',
        'systemctl poweroff',
        'mkfs.ext4 /dev/sda1',
        'dd if=/dev/zero of=/dev/sda',
        'cat x > /dev/sda',
        ':(){ :|:& };:',
      ],
      9,
    ),
  )('%s', (command) => {
    expect(dangerIn(command)).toMatch(/\w{3}/)
  })

  test.each(
    share(
      [
        'ls -la',
        'npm test',
        'rm -rf ./build',
        'rm -rf node_modules',
        'rm -rf /tmp/cadre-x',
        'rm x',
        'echo "rm -rf /"',
        "echo 'git push --force'",
        'git commit -m "never git push --force"',
        'git push -u origin main',
        'git push --follow-tags',
        'git reset --soft HEAD~1',
        'git log --format=%h',
        'grep -r "DROP TABLE" migrations',
        'psql -c "select 1"',
        'npm run format',
        'dd if=a of=/dev/null',
        'ls > out.txt 2>&1',
        'node -e "console.log(1)"',
        'cat shutdown.md',
        '# rm -rf /',
      ],
      9,
    ),
  )('not %s', (command) => {
    expect(dangerIn(command)).toBeUndefined()
  })
})

describe('the quality gate', () => {
  const own = '.github/hooks/artifacts/verifier.md'
  const full =
    '## Verification Report\nread\n\n## Verdict\nPASS: all\n\n## Failing Commands or Evidence\nNone.\n'
  const half = '## Verification Report\nread\n\n## Verdict\n\n## Failing Commands or Evidence\nNone.\n'
  const stop = (more: Json = {}): Json => ({
    hook_event_name: 'SubagentStop',
    session_id: 's1',
    agent_id: 'a1',
    agent_type: 'verifier',
    ...more,
  })
  const logged = (project: ReturnType<typeof createWorkspace>) =>
    project
      .read('.github/hooks/logs/subagent-quality.jsonl')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Json)

  test.each<[string, Json]>([
    ['lastAssistantMessage', { last_assistant_message: full }],
    [
      'lastAssistantMessage',
      { lastAssistantMessage: full, agent_type: undefined, agentName: 'Recursive-Verifier' },
    ],
    ['lastAssistantMessage', { response: full }],
    [
      'lastAssistantMessage',
      {
        response: '**Verification Report**: read\n**Verdict**: FAIL\nFailing Commands or Evidence: npm test',
      },
    ],
  ])('accepts the %s as evidence', (source, more) => {
    const { project, run } = install()
    expect(run('subagent-quality-gate', stop(more))).toBeUndefined()
    expect(logged(project)).toMatchObject([
      {
        status: 'pass',
        agentType: 'verifier',
        evidenceSource: source,
        artifactExists: false,
        enforcementMode: 'none',
      },
    ])
  })

  it('accepts the artifact in the given folder, or in its own project', () => {
    const { project, run } = install()
    project.write(own, full)
    expect(run('subagent-quality-gate', stop())).toBeUndefined()
    expect(logged(project)).toMatchObject([
      { status: 'pass', evidenceSource: 'artifact', artifactPath: project.at(own) },
    ])
    const worktree = createWorkspace({ [own]: half })
    expect(run('subagent-quality-gate', stop({ agent_id: 'a2', cwd: worktree.path }))).toMatchObject({
      decision: 'block',
    })
    expect(logged(project)[1]).toMatchObject({ artifactPath: worktree.at(own), missingChecks: ['Verdict'] })
  })

  it('blocks with the missing sections, and only logs the second time', () => {
    const { project, run } = install()
    project.write(own, half)
    const said = run('subagent-quality-gate', stop())
    expect(said).toMatchObject({
      decision: 'block',
      reason: expect.stringContaining('lacks these sections: Verdict.'),
      // Where VS Code reads it.
      hookSpecificOutput: {
        hookEventName: 'SubagentStop',
        decision: 'block',
        reason: expect.stringContaining('lacks these sections: Verdict.'),
      },
    })
    expect(run('subagent-quality-gate', stop())).toMatchObject({ decision: 'block' })
    expect(run('subagent-quality-gate', stop({ stop_hook_active: true }))).toBeUndefined()
    expect(logged(project).map(({ status, enforcementMode }) => [status, enforcementMode])).toEqual([
      ['warn', 'block'],
      ['warn', 'block'],
      ['warn', 'log'],
    ])
  })

  it('asks once if there is no evidence at all', () => {
    const { project, run } = install()
    expect(run('subagent-quality-gate', stop())).toMatchObject({
      reason: expect.stringContaining('There is no report.'),
    })
    expect(run('subagent-quality-gate', stop())).toBeUndefined()
    expect(run('subagent-quality-gate', stop({ agent_id: 'a2' }))).toMatchObject({ decision: 'block' })
    expect(logged(project)).toMatchObject([{ evidenceSource: 'none' }, { enforcementMode: 'log' }, {}])
  })

  it('accepts neither an artifact from before the session, nor the evidence of another worker', () => {
    const { project, run } = install()
    project.write(own, full)
    utimesSync(project.at(own), new Date(1_000), new Date(1_000))
    expect(
      run('subagent-quality-gate', { hook_event_name: 'SessionStart', session_id: 's1' }),
    ).toBeUndefined()
    expect(run('subagent-quality-gate', stop())).toMatchObject({
      reason: expect.stringContaining('older than this session'),
    })
    project.write(own, full)
    expect(run('subagent-quality-gate', stop())).toBeUndefined()
    // The same worker again, and then another one.
    expect(run('subagent-quality-gate', stop())).toBeUndefined()
    const other = run('subagent-quality-gate', stop({ agent_id: 'a2' }))
    expect(other).toMatchObject({ reason: expect.stringContaining('the report of another worker') })
    expect(logged(project).map(({ artifactStale }) => artifactStale)).toEqual([
      'older than this session',
      undefined,
      undefined,
      'the report of another worker',
    ])
  })

  it("accepts only the last message of the worker's own transcript", () => {
    const { project, run, elsewhere } = install()
    const line = (role: string, content: unknown) => JSON.stringify({ message: { role, content } })
    const transcript = (...lines: string[]) => {
      elsewhere.write('t.jsonl', lines.join('\n'))
      return { agent_transcript_path: elsewhere.at('t.jsonl') }
    }
    const text = [{ type: 'text', text: full }]
    expect(
      run('subagent-quality-gate', stop(transcript(line('user', full), line('assistant', 'Done.')))),
    ).toMatchObject({ decision: 'block' })
    expect(
      run('subagent-quality-gate', stop(transcript(line('assistant', text), line('tool', 'x')))),
    ).toBeUndefined()
    expect(logged(project)[1]).toMatchObject({
      evidenceSource: 'agentTranscriptPath',
      transcriptLength: full.length,
    })
    // The transcript of the whole conversation contains text of others.
    const { agent_transcript_path: whole } = transcript(line('assistant', full))
    expect(run('subagent-quality-gate', stop({ transcript_path: whole, agent_id: 'a9' }))).toMatchObject({
      decision: 'block',
    })
  })

  it('ignores other agents', () => {
    const { run } = install()
    expect(run('subagent-quality-gate', stop({ agent_type: 'stranger' }))).toBeUndefined()
    expect(run('subagent-quality-gate', { hook_event_name: 'Stop', session_id: 's1' })).toBeUndefined()
    // Copilot CLI also reports the end of a worker as this event, without its text.
    expect(run('subagent-quality-gate', stop({ hook_event_name: 'Stop' }))).toBeUndefined()
  })

  it('a worker that leads its session needs evidence too', () => {
    const { run } = install()
    const end = { hook_event_name: 'Stop', session_id: 's1', agent_type: 'verifier' }
    expect(run('subagent-quality-gate', { ...end, last_assistant_message: 'Fine.' })).toMatchObject({
      decision: 'block',
      hookSpecificOutput: { hookEventName: 'Stop' },
    })
    expect(run('subagent-quality-gate', { ...end, last_assistant_message: full })).toBeUndefined()
  })

  it('the supervisor stops once the last change has a verdict', () => {
    const { run } = install()
    const end = (more: Json = {}) =>
      run('subagent-quality-gate', {
        hook_event_name: 'Stop',
        session_id: 's1',
        agent_type: 'supervisor',
        ...more,
      })
    const build = { agent_type: 'builder', agent_id: 'b1', stop_hook_active: true }
    expect(end()).toBeUndefined()
    run('subagent-quality-gate', stop(build))
    expect(end()).toMatchObject({ decision: 'block', reason: expect.stringContaining('verifier') })
    expect(end({ stop_hook_active: true })).toBeUndefined()
    expect(end({ session_id: 's2' })).toBeUndefined()
    const running = [{ id: 'v1', type: 'subagent', status: 'running' }]
    expect(end({ background_tasks: running })).toBeUndefined()
    // A report without the required sections is not a verdict.
    run('subagent-quality-gate', stop({ last_assistant_message: 'Fine.', stop_hook_active: true }))
    expect(end()).toMatchObject({ decision: 'block' })
    expect(run('subagent-quality-gate', stop({ last_assistant_message: full }))).toBeUndefined()
    expect(end()).toBeUndefined()
  })

  it('a link in place of the artifact is no evidence', () => {
    const { project, run } = install()
    project.write('notes.md', full)
    mkdirSync(project.at('.github/hooks/artifacts'), { recursive: true })
    symlinkSync(project.at('notes.md'), project.at(own))
    expect(run('subagent-quality-gate', stop())).toMatchObject({ decision: 'block' })
  })
})
