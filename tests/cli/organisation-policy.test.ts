import { execFile, spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { inDeep } from '../support/amount.ts'
import { bin } from './support/cadre.ts'
import { recordOwnHome } from './support/own-home.ts'
import { agentFile, createProject, delegate, type Project } from './support/project.ts'

/** The path of the organisation's file is fixed: a test can replace it only in its own mount namespace. */
const canMount =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['-m', 'mount', '--bind', '/tmp', '/tmp']).status === 0

/** Runs the command with `etc` of the project mounted over /etc, for this process only. */
function cadreUnder(
  project: Project,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const script = 'mount --bind "$1" /etc && shift && exec "$@"'
  const command = ['-m', 'sh', '-c', script, 'sh', project.at('etc'), process.execPath, bin, ...args]
  const options = { cwd: project.path, env: { PATH: process.env['PATH'] ?? '', HOME: project.path, ...env } }
  recordOwnHome({ ...options, args })
  return new Promise((resolve) => {
    const child = execFile('unshare', command, options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
    child.stdin?.end()
  })
}

function createTeam(policy: string): Project {
  const project = createProject({
    ...agentFile('lead'),
    ...agentFile('worker'),
    'etc/cadre/policy.yaml': policy,
    'p.yaml': {
      lanes: { lead: [{ calls: [delegate('worker')] }, { reply: 'alone' }], worker: [{ reply: 'w' }] },
    },
  })
  for (const file of ['ld.so.cache', 'passwd'])
    if (existsSync(`/etc/${file}`)) copyFileSync(`/etc/${file}`, project.at('etc', file))
  for (const [place, mode] of [
    ['etc', 0o755],
    ['etc/cadre', 0o755],
    ['etc/cadre/policy.yaml', 0o644],
  ] as const)
    chmodSync(project.at(place), mode)
  return project
}

test.skipIf(!canMount)(
  'the policy of the organisation applies, whatever other policies, flags and the environment set',
  async () => {
    const project = createTeam('subagent.enabled: false\nlimits: {maxTurns: 5}\n')
    project.write('.config/cadre/policy.yaml', 'subagent.enabled: true\nlimits.maxTurns: 50\n')
    project.write('.cadre/storage/policy.yaml', 'subagent.enabled: true\n')
    project.write('.cadre/config.yaml', 'enableSubagent: true\n')
    project.write('elsewhere/cadre/policy.yaml', 'subagent.enabled: true\n')
    const env = {
      XDG_CONFIG_HOME: project.at('elsewhere'),
      XDG_CONFIG_DIRS: project.at('elsewhere'),
      CADRE_TRUST: '1',
      CADRE_POLICY: project.at('elsewhere/cadre/policy.yaml'),
    }
    const args = ['run', '--trust', '--depth', '9', '--max-turns', '40', '--model', 'scripted:p.yaml', 'x']
    const { code, stderr } = await cadreUnder(project, args, env)
    expect(stderr).toContain('delegation is disabled: subagent.enabled is false (/etc/cadre/policy.yaml:1)')
    expect(stderr).toContain(
      'limits.maxTurns is lowered from 40 to 5, the maximum set by /etc/cadre/policy.yaml:2',
    )
    expect(stderr).toContain('1 session')
    expect(code).toBe(0)
    const doctor = await cadreUnder(project, ['doctor'], { CADRE_MODEL: 'scripted:p.yaml' })
    expect(doctor.stdout).toMatch(
      /^ok {4}policy +\/etc\/cadre\/policy\.yaml \(organisation\) sets .*subagent\.enabled: false \(line 1\)/m,
    )
  },
)

inDeep.skipIf(!canMount)(
  'a policy that anyone can change applies with a notice; a broken one stops every run',
  async () => {
    const project = createTeam('subagent.enabled: false\n')
    chmodSync(project.at('etc/cadre'), 0o777)
    const loose = await cadreUnder(project, ['run', '--model', 'scripted:p.yaml', 'x'])
    expect(loose.stderr).toContain('/etc/cadre is writable by anyone')
    expect(loose.stderr).toContain('delegation is disabled')
    expect(loose.code).toBe(0)
    project.write('etc/cadre/policy.yaml', 'subagent.enabled: nope\n')
    const broken = await cadreUnder(project, ['run', '--model', 'scripted:p.yaml', 'x'])
    expect(broken.stderr).toContain('/etc/cadre/policy.yaml:1: subagent.enabled must be true or false')
    expect(broken.code).toBe(2)
  },
)
