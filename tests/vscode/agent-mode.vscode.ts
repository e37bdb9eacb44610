import { afterAll, beforeAll, expect, it } from 'vitest'
import { agent, configure, lane, requestsOf } from './support/agents.ts'
import { openWorkbench, type Workbench } from './support/open-workbench.ts'
import { startVsCode, type VsCode } from './support/start-vscode.ts'
import { until } from './support/until.ts'

let code: VsCode
let workbench: Workbench

beforeAll(async () => {
  code = await startVsCode({ copilot: true, workspace: { 'notes.md': '# Notes\n' } })
  workbench = await openWorkbench(code)
  await workbench.enableCopilot()
})
afterAll(async () => {
  await workbench?.close()
  await code?.stop()
})

it("runs an agent from Copilot's own agent mode with delegateWork, and returns its report", async () => {
  await configure(code, [agent('coordinator', { delegates: 'all' }), agent('worker')])
  await until('the tool', () =>
    code.host.run((vscode) =>
      vscode.lm.tools.some(({ name }: { name: string }) => name === 'copilotMultiAgent_delegateWork'),
    ),
  )
  const input = {
    agentName: 'worker',
    workDescription: 'Look at the notes of this folder.',
    reportExpectations: 'One sentence.',
  }
  code.model.play(
    lane('worker', { text: 'The notes are empty.' }),
    {
      // The request for a chat title also contains the question.
      when: ['Let somebody look', 'You are an expert AI programming assistant'],
      replies: [
        { calls: [{ name: 'copilotMultiAgent_delegateWork', input }] },
        { text: 'The worker has reported.' },
      ],
    },
    { replies: [{ text: 'A title' }] },
  )
  await code.host.command('workbench.action.chat.open', {
    query: 'Let somebody look #delegateWork',
    mode: 'agent',
    blockOnResponse: true,
    modelSelector: { vendor: 'scripted', id: 'scripted-one' },
  })
  await workbench.chat.waitForAnswer(/The worker has reported\./)
  const ofCopilot = code.model
    .requests()
    .filter(({ tools }) => tools.includes('copilotMultiAgent_delegateWork'))
  expect(JSON.stringify(ofCopilot.at(-1)?.messages)).toContain('The notes are empty.')
  expect(JSON.stringify(requestsOf(code, 'worker').at(-1)?.messages)).toContain(
    'Look at the notes of this folder.',
  )
  expect(JSON.stringify(requestsOf(code, 'worker').at(-1)?.messages)).not.toContain('Let somebody look')
})
