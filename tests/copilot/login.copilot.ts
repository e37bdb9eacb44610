import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { copilotDefaultModel } from '../../packages/backends/src/copilot-access/copilot-default-model.ts'
import { hasScript, openTerminal } from '../cli/support/terminal.ts'
import { until } from '../cli/support/until.ts'
import { childrenOf, type SignInWorld, signInWorld } from './support/sign-in-world.ts'

const ownProcess = true
const run = ({ project, env }: SignInWorld, args: readonly string[], more: Record<string, string> = {}) =>
  project.cadre(args, { ownProcess, env: { ...env, ...more } })

interface Check {
  readonly name: string
  readonly status: string
  readonly message: string
}
const doctor = async (world: SignInWorld, more: Record<string, string> = {}): Promise<Check[]> => {
  const { json } = await run(world, ['doctor', '--json', '--wait', '120'], more)
  const { checks } = json()[0] as unknown as { checks: Check[] }
  return checks.filter(({ name }) => name.startsWith('copilot'))
}

describe('signing in', () => {
  it('shows a code, waits, stays signed in, and signs out', async () => {
    const world = await signInWorld()
    const { project, env, signIn, github } = world
    const said: string[] = []
    signIn.polls = ['pending']
    const login = project.start(['login', '--json'], { env })
    await until(() => signIn.polled > 1)
    signIn.polls = ['slow_down', 'granted']
    const first = await login.ended()
    said.push(first.stdout, first.stderr)
    expect(first.json()).toEqual([
      { type: 'code', code: signIn.code, address: signIn.address, expiresIn: 900 },
      { type: 'login', status: 'signed-in', user: 'fake-user', source: 'code' },
    ])
    expect(first.code).toBe(0)

    const again = await run(world, ['login'])
    said.push(again.stdout, again.stderr)
    expect(again.stdout).toMatch(/^Already signed in to GitHub Copilot as fake-user\./)
    expect(again.code).toBe(0)

    const checks = await doctor(world)
    said.push(JSON.stringify(checks))
    expect(checks).toMatchObject([
      { name: 'copilot', status: 'ok', message: expect.stringMatching(/^language server 1\.539\.0, \//) },
      { name: 'copilot login', status: 'ok', message: 'fake-user, plan enterprise, chat enabled' },
      { name: 'copilot models', status: 'ok', message: expect.stringMatching(/^4 models/) },
      { name: 'copilot sdk', status: 'ok' },
    ])

    const models = await run(world, ['models', '--json'])
    said.push(models.stdout, models.stderr)
    expect(JSON.parse(models.stdout)).toEqual([
      { id: 'copilot-ls:gpt-5', window: 124_000, maxOutput: 16_000, multiplier: 1, default: true },
      { id: 'copilot-ls:gpt-4.1', window: 124_000, maxOutput: 16_000, multiplier: 0, default: false },
      {
        id: 'copilot-ls:claude-haiku-4.5',
        window: 124_000,
        maxOutput: 16_000,
        multiplier: 0.33,
        default: false,
      },
      // The server's own model, which GitHub chooses.
      { id: 'copilot-ls:auto', default: false },
    ])
    const table = await run(world, ['models'])
    expect(table.stdout).toMatch(/^copilot-ls:gpt-5 +124k +16k +1x +default$/m)
    expect(table.stdout).toMatch(/^copilot-ls:gpt-4\.1 +124k +16k +included$/m)

    const agents = await run(world, ['agents', 'list'])
    expect(agents.stdout).toMatch(
      /\nCopilot modes; add one to a model name, as in copilot-ls:gpt-5@Ask:\n {2}Ask: .*\n {2}Agent: .*\n {2}InlineAgent: [^\n]*\n(?! )/,
    )
    const elsewhere = await run(world, ['agents', 'list'], { CADRE_MODEL: 'openai:x' })
    expect(elsewhere.stdout).not.toContain('Copilot modes')

    // No model was chosen, so that of the account is used.
    github.script = () => ({ text: 'Hello from Copilot.' })
    const work = await run(world, ['run', '--json', 'Say hello'])
    said.push(work.stdout, work.stderr)
    expect(work.json().at(-1)).toMatchObject({
      type: 'report',
      status: 'completed',
      text: 'Hello from Copilot.',
      model: 'copilot-ls:gpt-5',
    })
    expect(project.sessions()).toHaveLength(1)

    // A chosen name without a backend refers to the account.
    const bare = await run(world, ['run', '--json', '--model', 'gpt-4.1', 'Say hello'])
    expect(bare.json().at(-1)).toMatchObject({ status: 'completed', model: 'copilot-ls:gpt-4.1' })
    const named = { CADRE_MODEL: 'gpt-4.1' }
    const listed = await run(world, ['models'], named)
    expect(listed.stdout).toMatch(/^copilot-ls:gpt-4\.1 .*default$/m)
    const { json } = await run(world, ['doctor', '--json', '--wait', '120'], named)
    expect((json()[0] as unknown as { checks: Check[] }).checks).toContainEqual({
      name: 'model',
      status: 'ok',
      message: 'copilot-ls:gpt-4.1',
    })

    const asked = github.requests.length
    const home = { ...env, HOME: project.path }
    expect(await copilotDefaultModel(home)).toBe('copilot-ls:gpt-5')
    expect(github.requests).toHaveLength(asked)

    const logout = await run(world, ['logout'])
    said.push(logout.stdout, logout.stderr)
    expect(logout.stdout).toBe(
      'Signed out of GitHub Copilot.\nEditors on this machine can still use the sign-in for fake-user. To remove it, run "cadre logout --forget".\n',
    )
    expect(logout.code).toBe(0)
    const quiet = github.requests.length
    expect(await copilotDefaultModel(home)).toBeUndefined()
    expect((await doctor(world))[1]).toMatchObject({ name: 'copilot login', message: 'not signed in' })
    expect((await run(world, ['agents', 'list'])).stdout).not.toContain('Copilot modes')
    expect(github.requests).toHaveLength(quiet)

    const refused = await run(world, ['run', '--model', 'copilot-ls:gpt-5', 'Say hello'])
    expect(refused.stderr).toContain(
      'cannot be used: you are not signed in to GitHub Copilot. Run "cadre login"',
    )

    const known = await run(world, ['login', '--yes'])
    expect(known.stdout).toMatch(/^Signed in to GitHub Copilot as fake-user, using an editor's sign-in/)
    const forgotten = await run(world, ['logout', '--forget', '--json'])
    expect(forgotten.json()).toEqual([{ type: 'logout', status: 'signed-out', kept: [] }])
    signIn.polls = ['denied']
    expect((await run(world, ['login', '--yes', '--json'])).json()).toMatchObject([
      { type: 'code' },
      { type: 'login', status: 'denied' },
    ])
    for (const secret of [signIn.token, 'fake-device-code-secret', 'tid=fake']) {
      expect(said.join('')).not.toContain(secret)
      expect(world.filesWith(secret)).toEqual([])
    }
  })

  it.each([
    ['denied', 1, /denied on GitHub/],
    ['expired', 1, /code expired/],
  ] as const)('reports that the code was %s, and exits with %i', async (poll, exit, sentence) => {
    const world = await signInWorld()
    world.signIn.polls = ['pending', poll]
    const { code, stdout, stderr } = await run(world, ['login'])
    expect(stdout).toContain(`Open ${world.signIn.address} and enter the code ${world.signIn.code}\n`)
    expect(stderr).toMatch(sentence)
    expect(code).toBe(exit)
  })

  it('reports that the account has no access to Copilot', async () => {
    const world = await signInWorld()
    world.github.refuseTokens = 403
    const { code, stderr } = await run(world, ['login'])
    expect(stderr).toMatch(/fake-user has no access to GitHub Copilot/)
    expect(code).toBe(1)
  })

  it('reports that GitHub provides no code', async () => {
    const world = await signInWorld()
    world.signIn.refuseCodes = 503
    const { code, stderr } = await run(world, ['login'])
    expect(stderr).toMatch(/^cadre: the sign-in failed: .*HTTP 503/)
    expect(code).toBe(5)
  })

  it('is cancelled with Ctrl-C, and leaves no process behind', async () => {
    const { project, env, signIn } = await signInWorld()
    signIn.polls = ['pending']
    const login = project.start(['login'], { env })
    await until(() => signIn.polled > 0)
    const [server = 0] = childrenOf(login.pid)
    expect(readFileSync(`/proc/${server}/cmdline`, 'utf8')).toContain('copilot-language-server')
    login.child.kill('SIGINT')
    const { code, stderr } = await login.ended()
    expect(stderr).toBe('cadre: Cancelled. You are not signed in.\n')
    expect(code).toBe(130)
    await until(() => !existsSync(`/proc/${server}`))
  })

  it.runIf(hasScript)('is cancelled with Ctrl-C in a terminal', async () => {
    const { project, env, signIn } = await signInWorld()
    signIn.polls = ['pending']
    const terminal = openTerminal(project, ['login'], { env, columns: 120 })
    await terminal.until((screen) => screen.includes(signIn.code))
    terminal.type('\x03')
    await terminal.until((screen) => screen.includes('Cancelled. You are not signed in.'))
    expect(await terminal.ended()).toBe(130)
  })
})

describe('a token in the environment', () => {
  const token = 'ghu_secretOfTheEnvironment0123456789'

  it('is used, and named by its variable', async () => {
    const world = await signInWorld()
    const more = { GITHUB_COPILOT_TOKEN: token }
    const login = await run(world, ['login'], more)
    expect(login.stdout).toMatch(
      /^Signed in to GitHub Copilot as fake-user, using the token in GITHUB_COPILOT_TOKEN\./,
    )
    expect(login.code).toBe(0)
    expect((await doctor(world, more))[1]?.message).toBe(
      'fake-user, with the token in GITHUB_COPILOT_TOKEN, plan enterprise, chat enabled',
    )
    const logout = await run(world, ['logout'], more)
    expect(logout.stdout).toContain(
      'The token in GITHUB_COPILOT_TOKEN still signs you in. To sign out, unset the variable.\n',
    )
    expect(logout.code).toBe(1)
    expect(world.signIn.polled).toBe(0)
    for (const { stdout, stderr } of [login, logout]) expect(stdout + stderr).not.toContain(token)
    expect(world.filesWith(token)).toEqual([])
  })

  it('that GitHub rejects is a configuration error', async () => {
    const world = await signInWorld()
    world.github.refuseTokens = 401
    const { code, stderr } = await run(world, ['login'], { GH_COPILOT_TOKEN: token })
    expect(stderr).toMatch(/^cadre: GitHub rejected the token in GH_COPILOT_TOKEN\./)
    expect(code).toBe(2)
  })
})

it('uses an editor’s sign-in, and reports it', async () => {
  const token = 'gho_secretOfAnEditor0123456789'
  const world = await signInWorld({
    '.config/github-copilot/apps.json': {
      'github.com:Iv1.b507a08c87ecfe98': {
        user: 'octocat',
        oauth_token: token,
        githubAppId: 'Iv1.b507a08c87ecfe98',
      },
    },
  })
  const { code, stdout, stderr } = await run(world, ['login'])
  expect(stdout).toMatch(
    /^Signed in to GitHub Copilot as octocat, using an editor's sign-in on this machine\./,
  )
  expect(code).toBe(0)
  expect(world.signIn.polled).toBe(0)
  expect(stdout + stderr).not.toContain(token)
  expect(world.filesWith(token)).toEqual([])
})
