import { chmodSync, existsSync } from 'node:fs'
import { serverPackage } from '@cadre/backends'
import { expect, test } from 'vitest'
import { inDeep } from '../support/amount.ts'
import { createProject, type Project } from './support/project.ts'

const needed = `${serverPackage.name}@${serverPackage.version}`

/** A replacement for the language server that only records that it was started. */
function server(project: Project): Record<string, string> {
  const program = project.write('server', `#!/bin/sh\ntouch '${project.at('started')}'\n`)
  chmodSync(program, 0o755)
  return { CADRE_COPILOT_SERVER: program }
}

test('prints the exact command if the language server is missing and there is no terminal', async () => {
  const project = createProject()
  const { code, stderr } = await project.cadre(['login'])
  expect(stderr).toBe(
    `cadre: Copilot needs ${needed}. Install with "cadre login --yes", or with: npm install --prefix ${project.at('.local/share/cadre/copilot')} --ignore-scripts ${needed}\n`,
  )
  expect(code).toBe(2)
  const asJson = await project.cadre(['login', '--sdk', '--json'])
  expect(asJson.json()).toMatchObject([{ type: 'error', code: 'configuration' }])
  expect(asJson.stdout).toContain('cadre login --yes --sdk')
  expect(asJson.code).toBe(2)
})

test('reports why npm could not install it', async () => {
  const project = createProject()
  const npm = project.write('bin/npm', '#!/bin/sh\necho "npm error code ENOTFOUND" >&2\nexit 1\n')
  chmodSync(npm, 0o755)
  const env = { PATH: `${project.at('bin')}:/usr/bin:/bin`, HOME: project.at('user') }
  // Outside the project, because programs in a project do not run.
  const elsewhere = createProject()
  const { code, stderr } = await elsewhere.cadre(['login', '--yes'], { env })
  expect(stderr).toMatch(
    /could not be installed\. npm cannot reach its registry: .*ENOTFOUND.* To install manually: npm install/,
  )
  expect(code).toBe(2)
  expect(existsSync(project.at('user/.local/share/cadre/copilot'))).toBe(false)
})

test('a configured server that is missing is a configuration error', async () => {
  const project = createProject()
  const env = { CADRE_COPILOT_SERVER: project.at('nothing') }
  const { code, stderr } = await project.cadre(['login', '--yes'], { env })
  expect(stderr).toMatch(/nothing is not a Copilot language server that runs on this machine/)
  expect(code).toBe(2)
})

test('reports that the server does not start', async () => {
  const project = createProject()
  const { code, stderr } = await project.cadre(['login'], { env: server(project) })
  expect(stderr).toMatch(/^cadre: the Copilot language server did not start: /)
  expect(code).toBe(5)
})

test('logout does not start anything if nobody is signed in', async () => {
  const project = createProject()
  const { code, stdout } = await project.cadre(['logout'], { env: server(project) })
  expect(stdout).toBe('You are not signed in to GitHub Copilot.\n')
  expect(code).toBe(0)
  expect(project.exists('started')).toBe(false)
})

test('doctor, models and agents list start no server if nobody has signed in', async () => {
  const project = createProject()
  const env = server(project)
  const { stdout } = await project.cadre(['doctor'], { env })
  expect(stdout).toMatch(/^ok {4}copilot +language server of unknown version, .*server$/m)
  expect(stdout).toMatch(/^ok {4}copilot login +not signed in\n +Run "cadre login"\.$/m)
  expect(stdout).toMatch(/^ok {4}copilot sdk +not installed\n +Run "cadre login --sdk" to install it\.$/m)
  await project.cadre(['models'], { env })
  expect((await project.cadre(['agents', 'list'], { env })).stdout).not.toContain('Copilot modes')
  expect(project.exists('started')).toBe(false)
})

test('doctor fails if a Copilot model is chosen but nobody is signed in', async () => {
  const project = createProject()
  const env = { ...server(project), CADRE_MODEL: 'copilot-ls:gpt-5' }
  const { code, stdout } = await project.cadre(['doctor'], { env })
  expect(stdout).toMatch(/^fail {2}copilot login +not signed in$/m)
  expect(code).toBe(1)
})

inDeep('a server that does not answer neither delays nor breaks anything', async () => {
  const project = createProject({ '.config/github-copilot/apps.json': '{}' })
  const program = project.write('server', '#!/bin/sh\nexec sleep 1000\n')
  chmodSync(program, 0o755)
  const env = { CADRE_COPILOT_SERVER: program }
  const doctor = await project.cadre(['doctor', '--wait', '1'], { ownProcess: true, env })
  expect(doctor.stdout).toMatch(
    /^warn {2}copilot login +the Copilot language server did not answer all requests within 1 s\.\n +Try "cadre doctor --wait 30"\.$/m,
  )
  const agents = await project.cadre(['agents', 'list'], { ownProcess: true, env })
  expect(agents.stdout).toContain('Built-in agents; run one')
  expect(agents.code).toBe(0)
})

test.each([
  ['is not installed', undefined],
  ['is not at the configured path', '/nowhere/server'],
])('logout reports that it could not remove a sign-in if the language server %s', async (_, named) => {
  const account = { account: { kind: 'signed-in', user: 'octocat', model: 'gpt-5', at: 0 } }
  const project = createProject({
    '.config/github-copilot/auth.db': 'x',
    '.local/share/cadre/copilot-account.json': JSON.stringify(account),
  })
  const env = named === undefined ? {} : { CADRE_COPILOT_SERVER: named }
  for (const args of [['logout'], ['logout', '--forget']]) {
    const { code, stdout, stderr } = await project.cadre(args, { env })
    expect(stdout).toBe('')
    expect(stderr).toContain(
      named === undefined
        ? 'The Copilot language server is not installed, so the sign-in of octocat could not be removed. Run "cadre login", then "cadre logout --forget", or delete '
        : `${named} is not a Copilot language server that runs on this machine. Correct copilot.server in config.yaml, or CADRE_COPILOT_SERVER. The sign-in of octocat could not be removed.`,
    )
    expect(stderr).toContain(`${project.at('.config/github-copilot')}, which also signs editors out.`)
    expect(code).toBe(2)
  }
})

test.each([
  [
    '/nowhere/server',
    '/nowhere/server is not a Copilot language server that runs on this machine. Correct copilot.server in config.yaml, or CADRE_COPILOT_SERVER.',
  ],
  ['some/server', 'CADRE_COPILOT_SERVER must be an absolute path, not some/server.'],
])('every command reports what is wrong with the configured server %s', async (named, sentence) => {
  const project = createProject()
  const env = { CADRE_COPILOT_SERVER: named }
  const run = await project.cadre(['run', 'hi'], { env })
  expect(run.stderr).toContain(`no model is configured. ${sentence}`)
  expect(run.code).toBe(2)
  const chosen = await project.cadre(['run', '--model', 'copilot-ls:gpt-5', 'hi'], { env })
  expect(chosen.stderr).toContain(
    `the model "copilot-ls:gpt-5" cannot be used: ${sentence.replace(/\.$/, '')}`,
  )
  expect(chosen.code).toBe(2)
  const doctor = await project.cadre(['doctor', '--json'], { env })
  const [{ checks }] = doctor.json() as unknown as [{ checks: { name: string }[] }]
  expect(checks.filter(({ name }) => /^(model|copilot)$/.test(name))).toEqual([
    { name: 'model', status: 'fail', message: 'no model is configured', fix: sentence },
    { name: 'copilot', status: 'fail', message: sentence },
  ])
  expect((await project.cadre(['models'], { env })).stderr).toContain(sentence)
  expect((await project.cadre(['login', '--yes'], { env })).stderr).toContain(sentence)
})

test('doctor fails if the configured SDK is missing, like a run', async () => {
  const project = createProject()
  const { code, stdout } = await project.cadre(['doctor'], { env: { CADRE_COPILOT_SDK: '/nowhere' } })
  expect(stdout).toMatch(
    /^fail {2}copilot sdk +CADRE_COPILOT_SDK is set to \/nowhere, which does not contain @github\/copilot-sdk\./m,
  )
  expect(code).toBe(1)
})
