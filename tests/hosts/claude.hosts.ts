import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { createProject, type Project } from '../cli/support/project.ts'
import { type Lanes, serveLanes } from './support/lanes.ts'
import { built, verified } from './support/reports.ts'
import { runClaude } from './support/run-host.ts'

const write = (file: string, content = 'x') => ({ name: 'Write', input: { file_path: file, content } })
const delegate = (agent: string) => ({
  calls: [
    {
      name: 'Agent',
      input: { description: 'work', prompt: 'Do it', subagent_type: agent, run_in_background: false },
    },
  ],
})

async function withTeam(files: Record<string, string | object> = {}): Promise<Project> {
  const project = createProject(files)
  execFileSync('git', ['init', '-q'], { cwd: project.path })
  const { code, stderr } = await project.cadre(['init', '--json', '--team', 'supervisor', '--to', 'claude'])
  expect(stderr).toBe('')
  expect(code).toBe(0)
  return project
}

async function play(project: Project, lanes: Lanes, agent = 'supervisor') {
  const server = await serveLanes(lanes)
  const ended = await runClaude(project.path, server, agent)
  expect(ended.code, ended.output).toBe(0)
  return { ...server, output: ended.output }
}

test('a verifier writes only its artifact, and a builder writes files', async () => {
  const project = await withTeam()
  const artifact = project.at('.github/hooks/artifacts/verifier.md')
  const { received: told } = await play(project, {
    supervisor: [delegate('builder'), delegate('verifier'), { text: 'It works.' }],
    builder: [
      { calls: [write(project.at('built.txt'))] },
      { calls: [write(project.at('.claude/settings.local.json'), '{}')] },
      { text: built },
    ],
    verifier: [
      { calls: [write(project.at('forbidden.txt'))] },
      { calls: [write(artifact, verified)] },
      { text: verified },
    ],
  })
  expect(told('builder', 2)).toContain('File created successfully')
  expect(project.exists('built.txt')).toBe(true)
  expect(told('builder', 3)).toContain('belongs to the hooks')
  expect(told('verifier', 2)).toContain('verifier may only write its artifact')
  expect(project.exists('forbidden.txt')).toBe(false)
  expect(told('verifier', 3)).toContain('File created successfully')
  expect(project.read('.github/hooks/artifacts/verifier.md')).toBe(verified)
})

test('a worker without evidence is sent back, and stops once it has provided it', async () => {
  const project = await withTeam()
  const { received: told, asked } = await play(project, {
    supervisor: [delegate('verifier'), { text: 'It works.' }],
    verifier: [{ text: 'All fine.' }, { text: verified }],
  })
  expect(told('verifier', 2)).toContain('lacks these sections: Verification Report, Verdict')
  expect(asked.filter(({ agent }) => agent === 'verifier')).toHaveLength(2)
  expect(told('supervisor', 2)).toContain('Failing Commands or Evidence')
})

test('the supervisor edits nothing, and stops only with a verdict on the last change', async () => {
  const project = await withTeam()
  // The host itself gives the supervisor no such tool. The hook denies it even if someone adds it.
  const file = '.claude/agents/supervisor.md'
  project.write(file, project.read(file).replace(', Grep, Glob', ', Grep, Glob, Write'))
  const { received: told, output } = await play(project, {
    supervisor: [
      { calls: [write(project.at('s.txt'))] },
      delegate('builder'),
      { text: 'I am done.' },
      delegate('verifier'),
      { text: 'Verified.' },
    ],
    builder: [{ text: built }],
    verifier: [{ text: verified }],
  })
  expect(told('supervisor', 2)).toContain('supervisor may not change files. Delegate')
  expect(project.exists('s.txt')).toBe(false)
  expect(told('supervisor', 4)).toContain('Delegate to the verifier')
  expect(output).toContain('Verified.')
})

test('existing hooks still run', async () => {
  const mine = { hooks: [{ type: 'command', command: 'cat > mine.json' }] }
  const project = await withTeam({
    '.claude/settings.json': { env: { A: 'b' }, hooks: { PreToolUse: [mine] } },
  })
  await play(project, { researcher: [{ calls: [write(project.at('no.txt'))] }] }, 'researcher')
  expect(JSON.parse(project.read('mine.json'))).toMatchObject({
    tool_name: 'Write',
    agent_type: 'researcher',
  })
  expect(project.exists('no.txt')).toBe(false)
})
