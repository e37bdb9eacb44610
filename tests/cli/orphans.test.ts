import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { programsWithout } from './support/programs.ts'
import { createProject } from './support/project.ts'
import { until } from './support/until.ts'

/** Returns the processes with this text in their command line. */
function running(text: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text)
      } catch {
        return false
      }
    })
}

test.skipIf(process.platform !== 'linux')(
  'a command ends when Cadre is killed, even without a sandbox',
  async () => {
    const pause = `20.${process.pid}`
    const command = `sleep ${pause} && echo done > done.txt`
    const project = createProject({
      'p.yaml': {
        lanes: { '*': [{ calls: [{ tool: 'execute_command', input: { command } }] }, { reply: 'ok' }] },
      },
      '.cadre/storage/policy.yaml': 'effects: {write: allow}\n',
      '.config/cadre/terminal-cmd-allowlist.yaml': 'sleep: allow\necho: allow\n',
    })
    const env = { PATH: programsWithout('bwrap') }
    const cadre = project.start(['run', '--trust', '--json', '--model', 'scripted:p.yaml', 'x'], { env })
    await until(() => running(`sleep\0${pause}`).length === 1)
    cadre.child.kill('SIGKILL')
    await cadre.ended()
    await until(() => running(`sleep\0${pause}`).length === 0)
    expect(project.exists('done.txt')).toBe(false)
  },
)
