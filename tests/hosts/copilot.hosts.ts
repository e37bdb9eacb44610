import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { createProject, type Project } from '../cli/support/project.ts'
import { type Lanes, serveLanes } from './support/lanes.ts'
import { built, verified } from './support/reports.ts'
import { runCopilot } from './support/run-host.ts'

const write = (file: string, content = 'x') => ({ name: 'create', input: { path: file, file_text: content } })
const delegate = (agent: string) => ({
  calls: [
    {
      name: 'task',
      input: { name: 'work', description: 'work', prompt: 'Do it', agent_type: agent, mode: 'sync' },
    },
  ],
})

async function withTeam(): Promise<Project> {
  const project = createProject()
  execFileSync('git', ['init', '-q'], { cwd: project.path })
  const { code, stderr } = await project.cadre(['init', '--json', '--team', 'supervisor', '--to', 'copilot'])
  expect(stderr).toBe('')
  expect(code).toBe(0)
  return project
}

async function play(project: Project, lanes: Lanes) {
  const server = await serveLanes(lanes)
  const ended = await runCopilot(project.path, server, 'supervisor')
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
      { calls: [write(project.at('.github/hooks/more.json'), '{}')] },
      { text: built },
    ],
    verifier: [
      { calls: [write(project.at('forbidden.txt'))] },
      { calls: [write(artifact, verified)] },
      { text: verified },
    ],
  })
  expect(told('builder', 2)).toContain('Created file')
  expect(project.exists('built.txt')).toBe(true)
  expect(told('builder', 3)).toContain('belongs to the hooks')
  expect(told('verifier', 2)).toContain('verifier may only write its artifact')
  expect(project.exists('forbidden.txt')).toBe(false)
  expect(told('verifier', 3)).toContain('Created file')
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

// The CLI does not tell a hook which agent leads the session, but it enforces the supervisor's list of tools.
test('the supervisor has no editing tool', async () => {
  const project = await withTeam()
  const { received: told } = await play(project, {
    supervisor: [{ calls: [write(project.at('s.txt'))] }, { text: 'I cannot.' }],
  })
  expect(told('supervisor', 2)).toMatch(/does not exist|not available|not found/i)
  expect(project.exists('s.txt')).toBe(false)
})
