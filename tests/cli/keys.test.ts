import { mkdirSync, symlinkSync } from 'node:fs'
import { expect, test } from 'vitest'
import { agentFile, createProject } from './support/project.ts'

// The program searches its ancestors for the command, and reads what the system shows of it.
const look = `
import { readFileSync, writeFileSync } from 'node:fs'
const shown = []
for (let pid = process.ppid, steps = 0; pid > 1 && steps < 3; steps++) {
  const read = (name) => { try { return readFileSync('/proc/' + pid + '/' + name, 'latin1') } catch { return '' } }
  shown.push(read('cmdline').replaceAll('\\0', ' ') + '\\n' + read('environ').replaceAll('\\0', '\\n'))
  if (read('cmdline').includes('cadre')) break
  const stat = read('stat')
  pid = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
}
writeFileSync('shown.txt', shown.join('\\n---\\n') + '\\n---\\nown ' + process.env.NAMED_TOKEN)
console.log('The key is ' + ['sk-test', '0123456789abcdef'].join('-'))
`

test.skipIf(process.platform !== 'linux')(
  'a command without a sandbox finds no keys in the process that started it',
  async () => {
    const project = createProject({
      ...agentFile('lead'),
      'look.mjs': look,
      '.cadre/storage/policy.yaml': 'environment: [NAMED_TOKEN]\n',
      'p.yaml': {
        lanes: {
          lead: [
            { calls: [{ tool: 'execute_command', input: { command: 'node ./look.mjs' } }] },
            { reply: 'It says: {{last}}' },
          ],
        },
      },
    })
    mkdirSync(project.at('bin'))
    symlinkSync(process.execPath, project.at('bin', 'node'))
    const env = {
      // Without bubblewrap.
      PATH: project.at('bin'),
      OPENAI_API_KEY: 'sk-test-0123456789abcdef',
      HOOK_VALUE: 'a secret by another name',
      NAMED_TOKEN: 'given by the policy',
    }
    const began = await project.cadre(['run', '--trust', '--model', 'scripted:p.yaml', '--json', 'Go.'], {
      env,
      ownProcess: true,
    })
    expect(began.code).toBe(3)
    const [{ id = '' } = {}] = JSON.parse((await project.cadre(['approvals', '--json'])).stdout) as {
      id?: string
    }[]
    expect((await project.cadre(['approve', id])).code).toBe(0)
    const [session = ''] = project.sessions()
    const ended = await project.cadre(['resume', session, '--trust', '--model', 'scripted:p.yaml'], {
      env,
      ownProcess: true,
    })
    expect(ended.code).toBe(0)
    const shown = project.read('shown.txt')
    // It found the process, and its public information.
    expect(shown).toMatch(/cadre.* resume /)
    expect(shown).toMatch(/^PATH=/m)
    expect(shown).not.toContain('sk-test')
    expect(shown).not.toContain('a secret by another name')
    // The policy names it, so the command gets it.
    expect(shown).toMatch(/own given by the policy$/)
    // The output of a command is masked as before.
    expect(ended.stdout).toContain('The key is ***')
  },
)
