import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { answers, startWire } from '@cadre/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createProject } from './support/project.ts'

const command = path.join(import.meta.dirname, '..', '..', 'packages', 'cli', 'bin', 'cadre.js')
const agent = (name: string) => `---\nname: ${name}\ndescription: d\n---\nWork.\n`

function createTeamProject() {
  return createProject({
    '.github/agents/reviewer.agent.md': agent('reviewer'),
    '.github/agents/release-manager.agent.md': agent('release-manager'),
    '.github/agents/hidden.agent.md': agent('hidden').replace(
      '---\nWork',
      'user-invocable: false\n---\nWork',
    ),
    '.mcp.json': { mcpServers: { docs: { type: 'http', url: 'https://docs.example/mcp' } } },
    '.cadre/sessions/lead-4k2.session.yaml': 'anything: at all\n',
    '.cadre/approvals/pending/approval-1759622866331-8228eefd.approval.md': 'x',
  })
}

describe('completing a command line', () => {
  const cases: [string[], string[]][] = [
    [['appr'], ['approvals', 'approve']],
    [['sessions', 'sh'], ['show']],
    [
      ['run', '--agent', 're'],
      ['release-manager', 'reviewer'],
    ],
    [['chat', '--agent', 'h'], []],
    [
      ['run', '--team', 'explorers/'],
      ['explorers/default', 'explorers/strict', 'explorers/strict-v2'],
    ],
    [['resume', 'lead'], ['lead-4k2']],
    [['sessions', 'show', ''], ['lead-4k2']],
    [['approve', 'appr'], ['approval-1759622866331-8228eefd']],
    [['agents', 'show', 'rev'], ['reviewer']],
    [['run', '--read'], ['--read-only']],
    [['mcp', 'test', 'do'], ['docs']],
    [['mcp', 'add', '--eff'], ['--effect']],
    [
      ['mcp', 'install', '--to', ''],
      ['claude', 'copilot', 'vscode'],
    ],
    [['mcp', '--tok'], ['--token-file']],
    [['mcp', '--http', '--po'], ['--port']],
    [['sessions', '--j'], ['--json']],
    [['no-such-command', ''], []],
  ]
  test.each(cases)('%j', async (words, expected) => {
    const { code, stdout, stderr } = await createTeamProject().cadre(['__complete', ...words])
    const values = stdout.split('\n').flatMap((line) => line.split('\t')[0] || [])
    expect(values.filter((value) => !value.startsWith('-') || expected.includes(value)).sort()).toEqual(
      expected,
    )
    expect(values.every((value) => value.startsWith(words.at(-1) ?? ''))).toBe(true)
    expect([code, stderr]).toEqual([0, ''])
  })

  test('offers the models of the configured server', async () => {
    const wire = await startWire(answers.reply({ text: 'ok' }), { models: ['small', 'large'] })
    onTestFinished(() => wire.close())
    const { stdout } = await createProject().cadre(['__complete', 'run', '--model', 'openai:s'], {
      env: { OPENAI_BASE_URL: wire.url },
    })
    expect(stdout).toBe('openai:small\n')
  })

  test('searches the home that the line names', async () => {
    const project = createTeamProject()
    mkdirSync(project.at('other/sessions'), { recursive: true })
    writeFileSync(project.at('other/sessions/second-1.session.yaml'), '')
    const { stdout } = await project.cadre([
      '__complete',
      'sessions',
      'show',
      '--home',
      project.at('other'),
      's',
    ])
    expect(stdout).toContain('second-1\n')
  })
})

describe('the scripts for shells', () => {
  const installed = (shell: string) => spawnSync(shell, ['--version']).status === 0

  test.skipIf(!installed('bash'))('bash completes agents, and models with a colon', async () => {
    const project = createTeamProject()
    const { stdout: script } = await project.cadre(['completion', 'bash'])
    const complete = (line: string) =>
      execFileSync(
        'bash',
        [
          '-c',
          `cadre() { "${process.execPath}" "${command}" "$@"; }\n${script}\nCOMP_LINE="${line}"; COMP_POINT=\${#COMP_LINE}; COMP_WORDBREAKS=:; _cadre_complete; printf '%s\\n' "\${COMPREPLY[@]}"`,
        ],
        { cwd: project.path, env: { PATH: process.env['PATH'], HOME: project.path }, encoding: 'utf8' },
      )
    expect(complete('cadre run --agent rel')).toBe('release-manager\n')
    expect(complete('cadre sessions sho')).toBe('show\n')
    expect(complete('cadre sessions show ')).toContain('lead-4k2\n')
    // Features that bash 3.2 does not have.
    expect(script).not.toMatch(/mapfile|readarray|\[-\d|declare -A|local -n|\$\{\w+(?:,,|\^\^)/)
  })

  test.each(['zsh', 'fish'])('%s parses its script', async (shell) => {
    const project = createProject()
    const { stdout: script } = await project.cadre(['completion', shell])
    expect(script).toContain('cadre __complete')
    if (!installed(shell)) return
    expect(spawnSync(shell, ['-n', project.write('script', script)]).status).toBe(0)
  })

  test('an unknown shell is an error that names the others', async () => {
    const { code, stderr } = await createProject().cadre(['completion', 'tcsh'])
    expect(stderr).toContain('Use bash, zsh or fish.')
    expect(code).toBe(2)
  })
})
