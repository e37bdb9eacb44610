import { expect, test } from 'vitest'
import { createProject } from './support/project.ts'

const guard = {
  hooks: {
    PreToolUse: [
      {
        matcher: 'Bash',
        hooks: [
          {
            type: 'command',
            command: 'if grep -q push; then echo no pushing >&2; exit 2; fi',
            timeout: 5000,
          },
        ],
      },
    ],
  },
}

/** A project whose user has another home directory. */
function projectWith(files: Record<string, string | object>) {
  const user = createProject()
  const project = createProject({ '.git/HEAD': 'ref: refs/heads/main\n', ...files })
  const env = { HOME: user.path }
  return { project, cadre: (...args: string[]) => project.cadre(args, { env }) }
}

test('list shows every hook with its place, its command, whether it runs, and problems', async () => {
  const { cadre } = projectWith({
    '.claude/settings.json': guard,
    '.github/hooks/a.json':
      '{\n "hooks": {\n  "preTool": [],\n  "stop": [{"type": "prompt", "prompt": "x"}]\n }\n}',
  })
  const { code, stdout } = await cadre('hooks', 'list')
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /PreToolUse +\.claude\/settings\.json:\d+ \(project\) +claude +Bash +if grep.* not run: this folder is not trusted/,
  )
  expect(stdout).toContain('.github/hooks/a.json:3: No host supports the event "preTool"')
  expect(stdout).toContain('.github/hooks/a.json:4: No other host supports the spelling stop')
  expect(stdout).toContain('timeout is in seconds')
  expect((await cadre('hooks', 'list', '--trust')).stdout).toMatch(/Bash +if grep.* run$/m)
})

test('list --json prints JSON', async () => {
  const { cadre, project } = projectWith({ '.claude/settings.json': guard })
  const [listed] = (await cadre('hooks', 'list', '--json')).json()
  expect(listed).toMatchObject({
    hooks: [
      {
        event: 'PreToolUse',
        dialect: 'claude',
        level: 'project',
        path: project.at('.claude/settings.json'),
        matcher: 'Bash',
        timeout: 5000,
        run: false,
        reason: expect.stringContaining('trusted'),
      },
    ],
    files: [{ status: 'loaded', trusted: false, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
    diagnostics: [{ code: 'hook-timeout-seconds' }],
  })
})

test('list reports that there are none', async () => {
  expect((await projectWith({}).cadre('hooks', 'list')).stdout).toMatch(/^No hooks found/)
})

test('test runs them with a sample and shows their decisions', async () => {
  const { cadre } = projectWith({ '.claude/settings.json': guard })
  const asked = ['hooks', 'test', 'preToolUse', '--tool', 'run_in_terminal', '--input']
  const denied = await cadre(...asked, '{"command":"git push"}', '--trust')
  expect(denied.code).toBe(0)
  expect(denied.stdout).toContain('"tool_name":"Bash","tool_input":{"command":"git push"}')
  expect(denied.stdout).toMatch(/exit +2\n/)
  expect(denied.stdout).toMatch(/means +deny: no pushing\n/)
  expect(denied.stdout).toMatch(/decision: deny\n$/)
  expect((await cadre(...asked, '{"command":"git status"}', '--trust')).stdout).toMatch(/decision: none\n$/)
})

test('test runs nothing from an untrusted folder, unless its file is named', async () => {
  const { cadre, project } = projectWith({
    '.claude/settings.json': {
      hooks: { Stop: [{ hooks: [{ type: 'command', command: 'touch ran; exit 2' }] }] },
    },
  })
  const untrusted = await cadre('hooks', 'test', 'Stop')
  expect(untrusted.stdout).toContain('does not run: this folder is not trusted')
  expect(project.exists('ran')).toBe(false)
  const [named] = (await cadre('hooks', 'test', 'Stop', '--file', '.claude/settings.json', '--json')).json()
  expect(named).toMatchObject({
    event: 'Stop',
    decision: 'block',
    hooks: [{ exitCode: 2, payload: { stop_hook_active: false } }],
  })
  expect(project.exists('ran')).toBe(true)
})

test('hooks of an agent are listed, and tested for that agent', async () => {
  const agent =
    '---\nname: guarded\ndescription: x\ntools: [Read]\nhooks:\n  PreToolUse:\n    - matcher: "*"\n      hooks:\n        - type: command\n          command: echo \'{"permissionDecision":"ask"}\'\n---\nWork.\n'
  const { cadre } = projectWith({ '.claude/agents/guarded.md': agent })
  expect((await cadre('hooks', 'list')).stdout).toMatch(/guarded\.md:\d+ \(agent\)/)
  const tested = await cadre('hooks', 'test', 'PreToolUse', '--agent', 'guarded', '--trust')
  expect(tested.stdout).toMatch(/decision: ask\n$/)
  expect((await cadre('hooks', 'test', 'PreToolUse', '--trust')).stdout).toMatch(/decision: none\n$/)
})

test('a hook sees no keys in the environment', async () => {
  const { project } = projectWith({
    '.claude/settings.json': { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'env > seen' }] }] } },
  })
  await project.cadre(['hooks', 'test', 'Stop', '--trust'], {
    env: { HOME: '/nowhere', OPENAI_API_KEY: 'sk-x', MY_TOKEN: 'y' },
  })
  expect(project.read('seen')).not.toMatch(/sk-x|MY_TOKEN/)
})

test('a tested hook has the same environment as in a run', async () => {
  const { project } = projectWith({
    '.claude/settings.json': { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'env > seen' }] }] } },
    'user/.config/cadre/policy.yaml': 'environment: [DEPLOY_STAGE]\n',
    'p.yaml': { lanes: { '*': [{ reply: 'ok' }] } },
  })
  const env = { HOME: project.at('user'), DEPLOY_STAGE: 'test', OTHER: 'x' }
  const seenBy = async (...args: string[]) => {
    expect((await project.cadre([...args, '--trust'], { env })).code).toBe(0)
    return project
      .read('seen')
      .split('\n')
      .filter((line) => !/^(?:COPILOT_HOOK_INPUT_PATH|_|SHLVL|OLDPWD)=/.test(line))
      .sort()
  }
  const tested = await seenBy('hooks', 'test', 'Stop')
  expect(tested).toContain('DEPLOY_STAGE=test')
  expect(await seenBy('run', '--model', 'scripted:p.yaml', 'x')).toEqual(tested)
})

test('a folder is trusted as a whole: trusted hooks do not run next to something new', async () => {
  const { project, cadre } = projectWith({
    '.claude/settings.json': {
      hooks: { Stop: [{ hooks: [{ type: 'command', command: 'touch ran' }] }] },
    },
    'p.yaml': { lanes: { '*': [{ reply: 'ok' }] } },
  })
  const [listed] = (await cadre('hooks', 'list', '--json')).json()
  const [{ path, sha256 }] = listed!['files'] as [{ path: string; sha256: string }]
  project.write('config/cadre/trust.yaml', { trusted: [{ path, sha256 }] })
  const env = { HOME: project.at('user'), XDG_CONFIG_HOME: project.at('config') }
  const list = async () => (await project.cadre(['hooks', 'list', '--json'], { env })).json()[0]
  expect(await list()).toMatchObject({ hooks: [{ run: true }] })
  project.write('.claude/settings.local.json', { permissions: { allow: ['Bash(npm test)'] } })
  expect(await list()).toMatchObject({
    hooks: [{ run: false, reason: 'this folder is not trusted' }],
    files: [{ trusted: false }],
  })
  await project.cadre(['hooks', 'test', 'Stop'], { env })
  await project.cadre(['run', '--model', 'scripted:p.yaml', 'x'], { env })
  expect(project.exists('ran')).toBe(false)
})

test.each([
  [['hooks', 'test', 'PreTool'], 'unknown event'],
  [['hooks', 'test', 'PreToolUse', '--input', '[1]'], '--input must be a JSON object'],
  [['hooks', 'test', 'PreToolUse', '--agent', 'nobody'], 'no agent'],
  [['hooks', 'test', 'PreToolUse', '--file', 'nowhere.json'], 'nowhere.json'],
  [['hooks', 'test', 'PreToolUse', '--file', 'bad.json'], 'bad.json:1'],
])('cadre %j reports what is wrong', async (args, message) => {
  const { cadre } = projectWith({ 'bad.json': '[' })
  const { code, stderr } = await cadre(...args)
  expect(code).toBe(2)
  expect(stderr).toContain(message)
})
