import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const exec = promisify(execFile)
const root = path.join(import.meta.dirname, '..', '..')
const tarball = path.join(root, 'packages', 'cli', 'dist', 'cadre.tgz')
const folder = mkdtempSync(path.join(tmpdir(), 'cadre install '))
/** As for a newcomer: no settings, and an npm cache that only these tests fill. */
const env = {
  PATH: process.env['PATH'],
  HOME: path.join(folder, 'home'),
  npm_config_cache: path.join(folder, 'cache'),
  // The machine decides where packages come from.
  npm_config_userconfig: process.env['npm_config_userconfig'] ?? path.join(homedir(), '.npmrc'),
  NODE_EXTRA_CA_CERTS: process.env['NODE_EXTRA_CA_CERTS'],
  npm_config_audit: 'false',
  npm_config_fund: 'false',
}

beforeAll(() => mkdirSync(env.HOME))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const toolModule = `
import { defineTool, object, string } from 'cadre'
export const shout = defineTool({
  name: 'shout', description: 'Says it louder', class: 'read', effect: 'read',
  input: object({ text: string('What to say') }),
  run: async ({ text }) => ({ content: text.toUpperCase() }),
})
`
const playbook = `
lanes:
  assistant:
    - calls: [{ tool: shout, input: { text: hello } }]
    - reply: The tool answered.
`

/** A project without dependencies, with its own tool. */
function project(name: string): string {
  const at = path.join(folder, `project of ${name}`)
  mkdirSync(path.join(at, '.cadre'), { recursive: true })
  writeFileSync(path.join(at, '.cadre', 'config.yaml'), 'tools: [shout.mjs]\n')
  writeFileSync(path.join(at, '.cadre', 'shout.mjs'), toolModule)
  writeFileSync(path.join(at, 'playbook.yaml'), playbook)
  return at
}

/** Uses the installed command like a user: version, doctor, and a run with a tool that imports `cadre`. */
async function expectWorking(name: string, command: string, before: readonly string[] = []) {
  const cwd = project(name)
  const cadre = async (...args: string[]) =>
    exec(command, [...before, ...args], { cwd, env }).catch((error) => error)
  expect((await cadre('--version')).stdout).toContain('0.1.0')
  expect((await cadre('doctor')).stdout).toMatch(/ok +ripgrep +.*rg/)
  const run = await cadre('run', '--trust', '--json', '--model', 'scripted:playbook.yaml', 'Say hello')
  expect(run.stdout, run.stderr).toContain('HELLO')
  expect(run.stdout).toContain('The tool answered.')
}

describe('the packed command', () => {
  it('installs globally with npm', async () => {
    const prefix = path.join(folder, 'npm')
    await exec('npm', ['install', '--global', '--prefix', prefix, tarball], { env, cwd: folder })
    await expectWorking('npm', path.join(prefix, 'bin', 'cadre'))
  })

  it('installs with linked packages', async () => {
    const at = path.join(folder, 'linked')
    mkdirSync(at)
    writeFileSync(path.join(at, 'package.json'), '{"private": true}\n')
    await exec('npm', ['install', '--install-strategy=linked', tarball], { env, cwd: at })
    await expectWorking('linked', path.join(at, 'node_modules', '.bin', 'cadre'))
  })

  it('runs with npx', async () => {
    await expectWorking('npx', 'npx', ['--yes', '--package', tarball, 'cadre'])
  })

  it('installs with pnpm', async () => {
    const at = path.join(folder, 'pnpm')
    mkdirSync(at)
    writeFileSync(path.join(at, 'package.json'), '{"private": true}\n')
    await exec('npm', ['install', '--prefix', path.join(folder, 'tools'), 'pnpm@10'], { env, cwd: folder })
    const pnpm = path.join(folder, 'tools', 'node_modules', '.bin', 'pnpm')
    await exec(pnpm, ['add', '--store-dir', path.join(folder, 'store'), tarball], { env, cwd: at })
    await expectWorking('pnpm', path.join(at, 'node_modules', '.bin', 'cadre'))
  })

  it('has the types of its library', async () => {
    const at = path.join(folder, 'typed')
    mkdirSync(at)
    writeFileSync(path.join(at, 'package.json'), '{"private": true, "type": "module"}\n')
    await exec('npm', ['install', tarball], { env, cwd: at })
    writeFileSync(path.join(at, 'tool.ts'), toolModule)
    writeFileSync(
      path.join(at, 'team.ts'),
      `import { createRuntime, type Report } from 'cadre'
       import { createClient, type SessionRow } from 'cadre/client'
       import { createTestTeam, say } from 'cadre/testing'
       const client = createClient({ address: 'http://127.0.0.1:1', token: 'none' })
       const none: readonly SessionRow[] = await client.listSessions().then((page) => page.items, () => [])
       const team = createTestTeam({ agents: [{ name: 'lead' }], lanes: { lead: [say('done')] } })
       const report: Report = await team.report({ agent: 'lead' })
       console.log(report.text, typeof createRuntime, none.length)\n`,
    )
    writeFileSync(
      path.join(at, 'tsconfig.json'),
      '{"compilerOptions": {"module": "nodenext", "target": "es2023", "strict": true, "types": ["node"], "outDir": "out"}}\n',
    )
    await exec('npm', ['install', '@types/node@20'], { env, cwd: at })
    const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const checked = await exec(process.execPath, [tsc, '-p', at], { env }).catch((error) => error)
    expect(checked.stdout).toBe('')
    const { stdout } = await exec(process.execPath, [path.join(at, 'out', 'team.js')], { env, cwd: at })
    expect(stdout).toBe('done function 0\n')
  })
})
