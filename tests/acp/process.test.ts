import { mkdirSync, writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import { agentFile, createProject, type Project } from '../cli/support/project.ts'
import { until } from '../cli/support/until.ts'
import { inDeep } from '../support/amount.ts'

/** Drives the built command by its pipes. */
function startAcp(project: Project, env: Record<string, string> = {}) {
  const running = project.start(['acp', '--model', 'scripted:p.yaml'], { keepInput: true, env })
  let id = 0
  const messages = () =>
    running
      .stdout()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { id?: number; method?: string; result?: { sessionId?: string } })
  return {
    ...running,
    messages,
    send(method: string, params: object): number {
      id += 1
      running.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
      return id
    },
  }
}

async function startTurn(project: Project, env?: Record<string, string>) {
  const acp = startAcp(project, env)
  const answer = (to: number) => acp.messages().find(({ id, method }) => id === to && method === undefined)
  const ready = acp.send('initialize', { protocolVersion: 1, clientCapabilities: {} })
  await until(() => answer(ready) !== undefined)
  const opened = acp.send('session/new', { cwd: project.path, mcpServers: [] })
  await until(() => answer(opened) !== undefined)
  const sessionId = answer(opened)?.result?.sessionId as string
  acp.send('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'Write.' }] })
  await until(() => acp.messages().some(({ method }) => method === 'session/request_permission'))
  return { acp, sessionId }
}

function createWriter(): Project {
  return createProject({
    ...agentFile('lead'),
    '.cadre/config.yaml': { entry: 'lead' },
    'p.yaml': {
      lanes: {
        lead: [
          { calls: [{ tool: 'write_file', input: { path: 'a.txt', content: 'x' } }] },
          { reply: 'Done.' },
        ],
      },
    },
  })
}

async function resumeApproved(project: Project, sessionId: string): Promise<string> {
  const [pending] = JSON.parse((await project.cadre(['approvals', '--json'])).stdout) as { id: string }[]
  await project.cadre(['approve', pending?.id as string])
  return (await project.cadre(['resume', sessionId])).stdout
}

inDeep('the process ends with its input, suspends the turn, and prints only messages', async () => {
  const project = createWriter()
  const { acp, sessionId } = await startTurn(project)
  acp.child.stdin.end()
  const ended = await acp.ended()
  expect([ended.code, ended.stderr]).toEqual([0, ''])
  expect(ended.json().length).toBeGreaterThan(3)
  expect(await resumeApproved(project, sessionId)).toContain('Done.')
})

inDeep('a signal suspends the turn', async () => {
  const project = createWriter()
  const { acp, sessionId } = await startTurn(project)
  acp.child.kill('SIGTERM')
  expect((await acp.ended()).code).toBe(0)
  expect(await resumeApproved(project, sessionId)).toContain('Done.')
})

inDeep('a closed output ends the process with the next message, and the turn is suspended', async () => {
  const project = createWriter()
  const { acp, sessionId } = await startTurn(project)
  acp.child.stdout.destroy()
  acp.send('session/cancel_nothing', {})
  await acp.ended()
  expect(await resumeApproved(project, sessionId)).toContain('Done.')
})

inDeep('a killed process leaves a session that resumes', async () => {
  const project = createWriter()
  const { acp, sessionId } = await startTurn(project)
  acp.child.kill('SIGKILL')
  await acp.ended()
  expect(await resumeApproved(project, sessionId)).toContain('Done.')
})

inDeep('a command finds no program of the project by its name, even if PATH names its folder', async () => {
  const project = createProject({
    ...agentFile('lead'),
    '.cadre/config.yaml': { entry: 'lead' },
    'p.yaml': {
      lanes: {
        lead: [
          { calls: [{ tool: 'execute_command', input: { command: 'evil && echo "$PATH" > seen.txt' } }] },
          { reply: 'Done.' },
        ],
      },
    },
  })
  mkdirSync(project.at('bin'))
  writeFileSync(project.at('bin/evil'), '#!/bin/sh\ntouch "$(dirname "$0")/ran"\n', { mode: 0o755 })
  const path = `${project.at('bin')}:${process.env['PATH'] ?? ''}`
  const { acp } = await startTurn(project, { PATH: path, HOME: createProject().path })
  const asked = acp.messages().find(({ method }) => method === 'session/request_permission')
  acp.child.stdin.write(
    `${JSON.stringify({ jsonrpc: '2.0', id: asked?.id, result: { outcome: { outcome: 'selected', optionId: 'approve' } } })}\n`,
  )
  await until(() => acp.stdout().includes('stopReason'))
  expect(project.exists('bin/ran')).toBe(false)
})
