import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { share } from '../support/amount.ts'
import { programsWithout } from './support/programs.ts'
import { createProject } from './support/project.ts'
import { hasScript, openTerminal } from './support/terminal.ts'
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

describe.skipIf(process.platform !== 'linux' || !hasScript)('a run that is resumed after kill -9', () => {
  const lines: [string, (sleep: string) => string][] = [
    ['another group', (sleep) => `mkdir -p zz; setsid ${sleep} & wait`],
    ['its group', (sleep) => `mkdir -p zz; ${sleep}; true`],
  ]
  test.each(share(lines, 2))(
    'ends the command that still runs in %s, explains the answers, and shows the repeated call',
    async (_, lineOf) => {
      const pause = `63.${process.pid}`
      const command = lineOf(`sleep ${pause}`)
      const project = createProject({
        'p.yaml': {
          lanes: { '*': [{ calls: [{ tool: 'execute_command', input: { command } }] }, { reply: 'ok' }] },
        },
      })
      // Another program with the same command line, and with the mark of another home.
      const other = spawn('sleep', [pause], {
        env: { CADRE_COMMAND: `${'0'.repeat(32)}.${'0'.repeat(16)}.${'0'.repeat(16)}` },
      })
      const left = () => running(`sleep\0${pause}\0`).filter((pid) => pid !== String(other.pid))
      onTestFinished(() => {
        for (const pid of [...left(), other.pid]) process.kill(Number(pid), 'SIGKILL')
      })
      const options = { columns: 150, rows: 40, env: { PATH: programsWithout('bwrap') } }
      const first = openTerminal(project, ['run', '--trust', '--model', 'scripted:p.yaml', 'x'], options)
      await first.until((screen) => screen.includes('1 approve'))
      first.type('1\r')
      await until(() => left().length === 1)
      process.kill(first.pid(), 'SIGKILL')
      await first.ended()
      expect(left()).toHaveLength(1)

      const resumed = openTerminal(project, ['resume', ...project.sessions(), '--trust'], options)
      await resumed.until((screen) => screen.includes('2 again'))
      expect(resumed.screen()).toContain(
        'may have been carried out (it was still running, and Cadre has ended it)',
      )
      expect(left()).toEqual([])
      expect(other.exitCode ?? other.signalCode).toBeNull()
      resumed.type('?\r')
      await resumed.answers((screen) => screen.includes('Text after it is the reason.'))
      expect(resumed.screen()).toContain('again: The call had no effect. Cadre runs it again.')
      resumed.type('again\r')
      await resumed.answers((screen) => screen.includes('round 1 · execute_command mkdir -p zz'))
      await until(() => left().length === 1)
    },
  )
})
