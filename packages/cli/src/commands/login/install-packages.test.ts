import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sdkPackage, serverPackage } from '@cadre/backends'
import { expect, it, onTestFinished } from 'vitest'
import { installCommand, installPackages, isInstalled } from './install-packages.ts'

const never = new AbortController().signal
const patient = { timeout: 20_000 }

/** The files that npm would install into `$3/node_modules`. */
const server = `
mkdir -p "$3/node_modules/@github/copilot-language-server" "$3/node_modules/@github/copilot-language-server-${process.platform}-${process.arch}"
echo '{"version":"${serverPackage.version}"}' > "$3/node_modules/@github/copilot-language-server/package.json"
program="$3/node_modules/@github/copilot-language-server-${process.platform}-${process.arch}/copilot-language-server"
echo '#!/bin/sh' > "$program"
chmod +x "$program"
`
const sdk = `
mkdir -p "$3/node_modules/@github/copilot-sdk"
echo '{"version":"${sdkPackage.version}"}' > "$3/node_modules/@github/copilot-sdk/package.json"
`

/** A machine on which npm is this script. */
function machine(script: string | undefined) {
  const root = mkdtempSync(path.join(tmpdir(), 'cadre-install-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const at = (...names: string[]) => path.join(root, ...names)
  mkdirSync(at('bin'))
  if (script !== undefined) {
    writeFileSync(at('bin', 'npm'), `#!/bin/sh\n${script}\n`)
    chmodSync(at('bin', 'npm'), 0o755)
  }
  const folder = at('data', 'cadre', 'copilot')
  const tools = script === undefined ? '' : ':/usr/bin:/bin'
  return {
    at,
    folder,
    env: { PATH: `${at('bin')}${tools}`, HOME: root } as NodeJS.ProcessEnv,
    /** The folders next to the final one. */
    rest: () => readdirSync(path.dirname(folder)).filter((name) => name !== 'copilot'),
  }
}

it('installs exact versions, without scripts, and leaves nothing else behind', async () => {
  const { at, folder, env, rest } = machine(`echo "$@" > "$HOME/said"\npwd > "$HOME/where"\n${server}`)
  expect(await installPackages({ folder, packages: [serverPackage], env }, never)).toEqual({
    kind: 'installed',
  })
  expect(isInstalled(folder, serverPackage)).toBe(true)
  expect(isInstalled(folder, sdkPackage)).toBe(false)
  expect(rest()).toEqual([])
  const said = readFileSync(at('said'), 'utf8')
  expect(said).toMatch(
    /^install --prefix \S+ --ignore-scripts .*@github\/copilot-language-server@1\.539\.0$/m,
  )
  // Not in the current folder: npm would use the configuration of a project there.
  expect(readFileSync(at('where'), 'utf8').startsWith(`${folder}.`)).toBe(true)
})

it('passes no keys of other services to npm', async () => {
  const { at, folder, env } = machine(`env > "$HOME/env"\n${server}`)
  const more = {
    OPENAI_API_KEY: 'sk-secret',
    GITHUB_COPILOT_TOKEN: 'ghu_secret',
    npm_config_registry: 'http://127.0.0.1:1/',
    npm_config_ignore_scripts: 'false',
  }
  await installPackages({ folder, packages: [serverPackage], env: { ...env, ...more } }, never)
  const given = readFileSync(at('env'), 'utf8')
  expect(given).toContain('npm_config_registry=')
  expect(given).not.toMatch(/secret|ignore_scripts/)
})

it('does not use project settings that npm passes to its scripts', async () => {
  const { at, folder, env } = machine(`env > "$HOME/env"\n${server}`)
  const more = { npm_command: 'run-script', npm_config_registry: 'http://127.0.0.1:1/' }
  await installPackages({ folder, packages: [serverPackage], env: { ...env, ...more } }, never)
  expect(readFileSync(at('env'), 'utf8')).not.toContain('npm_config_registry')
})

it('adds a package to existing ones', async () => {
  const { folder, env, rest } = machine(server + sdk)
  await installPackages({ folder, packages: [serverPackage], env }, never)
  await installPackages({ folder, packages: [serverPackage, sdkPackage], env }, never)
  expect([serverPackage, sdkPackage].map((item) => isInstalled(folder, item))).toEqual([true, true])
  expect(rest()).toEqual([])
})

it.each([
  [
    'exits with 1',
    'echo "npm error code E404" >&2; exit 1',
    /exited with code 1\. Its last lines: npm error code E404/,
  ],
  ['is offline', 'echo "npm error code ENOTFOUND" >&2; exit 1', /cannot reach its registry/],
  [
    'omits the program',
    'mkdir -p "$3/node_modules/@github/copilot-language-server"',
    /without the files for this system/,
  ],
  ['is not installed', undefined, /npm is not installed, or not on PATH/],
])('installs nothing if npm %s', async (_, script, message) => {
  const { folder, env, rest } = machine(script)
  expect(await installPackages({ folder, packages: [serverPackage], env }, never)).toEqual({
    kind: 'failed',
    message: expect.stringMatching(message),
  })
  expect(existsSync(folder)).toBe(false)
  expect(rest()).toEqual([])
})

it('shows the last lines of npm without secrets', async () => {
  const lines = [
    'npm error GET https://ann:hunter2@registry.example/x',
    'npm error //registry.example/:_authToken=topsecretvalue',
    'npm error ghp_abcdefghij0123456789 npm_abcdefghij0123456789',
  ]
  const { folder, env } = machine(`printf '%s\\n' ${lines.map((line) => `'${line}'`).join(' ')} >&2; exit 1`)
  const ended = await installPackages({ folder, packages: [serverPackage], env }, never)
  expect(ended).toMatchObject({ kind: 'failed', message: expect.stringContaining('registry.example') })
  expect(JSON.stringify(ended)).not.toMatch(/hunter2|topsecretvalue|abcdefghij/)
})

it('kills npm and everything it started when it is cancelled', async () => {
  const { at, folder, env, rest } = machine(
    'sleep 1000 & echo $! > "$HOME/pid.new"; mv "$HOME/pid.new" "$HOME/pid"; wait',
  )
  const stopper = new AbortController()
  const ended = installPackages({ folder, packages: [serverPackage], env }, stopper.signal)
  await expect.poll(() => existsSync(at('pid')), patient).toBe(true)
  stopper.abort()
  expect(await ended).toEqual({ kind: 'cancelled' })
  const pid = Number(readFileSync(at('pid'), 'utf8'))
  await expect.poll(() => isRunning(pid), patient).toBe(false)
  expect(existsSync(folder)).toBe(false)
  expect(rest()).toEqual([])
})

it.each(['server', 'both'])(
  'keeps the larger of two concurrent installations if %s ends first',
  async (first) => {
    // Each waits until both have started, and the second one until the first has ended.
    const script = `
case "$*" in *copilot-sdk*) me=both; other=server ;; *) me=server; other=both ;; esac
touch "$HOME/$me.begun"
while [ ! -e "$HOME/$other.begun" ]; do sleep 0.05; done
[ $me = ${first} ] || while [ ! -e "$HOME/go" ]; do sleep 0.05; done
${server}
[ $me = server ] || { ${sdk} }
`
    const { at, folder, env, rest } = machine(script)
    const install = (packages: (typeof serverPackage)[]) => installPackages({ folder, packages, env }, never)
    const small = install([serverPackage])
    const large = install([serverPackage, sdkPackage])
    await (first === 'server' ? small : large)
    expect(isInstalled(folder, serverPackage)).toBe(true)
    writeFileSync(at('go'), '')
    expect(await Promise.all([small, large])).toEqual([{ kind: 'installed' }, { kind: 'installed' }])
    expect([serverPackage, sdkPackage].map((item) => isInstalled(folder, item))).toEqual([true, true])
    expect(rest()).toEqual([])
  },
)

it('removes leftovers of a killed installation', async () => {
  const { folder, env, rest } = machine(server)
  // No process has such an id.
  mkdirSync(`${folder}.4194305-abc`, { recursive: true })
  await installPackages({ folder, packages: [serverPackage], env }, never)
  expect(rest()).toEqual([])
})

it('prints a command for people, with quotes where needed', () => {
  expect(installCommand('/home/ann/my data', [serverPackage])).toBe(
    `npm install --prefix '/home/ann/my data' --ignore-scripts @github/copilot-language-server@${serverPackage.version}`,
  )
})

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A zombie.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
