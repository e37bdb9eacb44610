/** A command without a sandbox hides that it is running, and forges an approval for another process to act on. */
import { mkdirSync, symlinkSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { agentFile, createProject } from '../cli/support/project.ts'
import { until } from '../cli/support/until.ts'
import { startDaemon } from './machine.ts'

const program = `
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
rmSync('.cadre/storage/unguarded', { recursive: true })
const form = '.cadre/tasks/approvals.task.md'
writeFileSync(form, readFileSync(form, 'utf8').replaceAll('[_]', '[x]'))
writeFileSync('forged', '')
while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 20))
`
const call = (tool: string, input: object) => [{ calls: [{ tool, input }] }, { reply: 'ok' }]

interface Listed {
  readonly id: string
  readonly action: string
  readonly status: string
}

// Other systems have no sign that a command cannot delete.
test.runIf(process.platform === 'linux')(
  'no process decides an approval while a command without a sandbox is running that deletes its mark',
  { timeout: 90_000 },
  async () => {
    const project = createProject({
      ...agentFile('lead'),
      'program.mjs': program,
      'playbook.yaml': {
        lanes: { lead: call('write_file', { path: 'held.txt', content: 'x' }) },
      },
      'p.yaml': { lanes: { lead: call('execute_command', { command: 'node ./program.mjs' }) } },
    })
    mkdirSync(project.at('bin'))
    symlinkSync(process.execPath, project.at('bin', 'node'))
    // Without bubblewrap.
    const env = { PATH: project.at('bin') }
    const cadre = (...args: string[]) => project.cadre(args, { env, ownProcess: true })
    const listed = async () =>
      JSON.parse((await cadre('approvals', '--all', '--json')).stdout) as readonly Listed[]
    const approvalOf = async (action: string) => (await listed()).find((one) => one.action === action)
    await cadre('run', '--trust', '--model', 'scripted:playbook.yaml', 'Write it.')
    const [other] = project.sessions()
    await cadre('run', '--trust', '--model', 'scripted:p.yaml', 'Run it.')
    const own = project.sessions().find((session) => session !== other) as string
    expect(await cadre('approve', (await approvalOf('node ./program.mjs'))?.id ?? '')).toMatchObject({
      code: 0,
    })

    const resumed = project.start(['resume', '--trust', own, '--model', 'scripted:p.yaml'], { env })
    onTestFinished(() => void project.write('go', ''))
    await until(() => project.exists('forged'))
    expect(project.exists('.cadre/storage/unguarded')).toBe(false)
    const daemon = await startDaemon(project, [], env)
    const held = await approvalOf('held.txt')
    expect(held).toMatchObject({ status: 'pending' })
    expect(await cadre('approve', held?.id ?? '')).toMatchObject({ code: 6 })
    expect(await cadre('resume', '--trust', other ?? '')).toMatchObject({ code: 6 })
    expect(project.exists('held.txt')).toBe(false)

    project.write('go', '')
    expect(await resumed.ended()).toMatchObject({ code: 0 })
    expect(project.read('.cadre/tasks/approvals.task.md')).toContain('[_]')
    expect(await approvalOf('held.txt')).toMatchObject({ status: 'pending' })
    expect(project.exists('held.txt')).toBe(false)
    // Afterwards people decide again, and the daemon runs the call.
    expect(await cadre('approve', held?.id ?? '')).toMatchObject({ code: 0 })
    await until(() => project.exists('held.txt'))
    expect(await daemon.stop()).toBe(0)
  },
)
