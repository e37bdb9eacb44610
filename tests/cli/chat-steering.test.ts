import { answers, startWire } from '@cadre/testing'
import { expect, onTestFinished, test } from 'vitest'
import { sampled } from '../support/amount.ts'
import {
  continueKey,
  ctrlC,
  ctrlD,
  isAsking,
  open,
  openAt,
  openBusyChat,
  pasted,
  say,
  shown,
  type,
} from './support/chat-screen.ts'
import { agentFile, createProject } from './support/project.ts'
import { hasScript, isRestored } from './support/terminal.ts'

const it = hasScript ? sampled(4) : test.skip
const esc = '\x1b'
const stopped = 'Stopped. Type a message, or /resume to continue.'

it('Esc during a tool call delivers the message; a second Esc stops, and never exits', async () => {
  const terminal = await openBusyChat()
  terminal.type('be quick')
  await terminal.until((screen) => shown(screen).includes('Esc: interrupt'))
  terminal.type(esc)
  await terminal.until((screen) => shown(screen).includes('↳ be quick (sent with the next round)'))
  await say(terminal, `${esc}${esc}${esc}`, stopped)
  await say(terminal, 'Continue.\r', 'Continue.>')
  terminal.type(ctrlD)
  expect(await terminal.ended()).toBe(0)
})

it('Ctrl-C puts queued commands back into the input line', async () => {
  const terminal = await openBusyChat()
  terminal.type('!touch owned\r')
  await terminal.until((screen) => shown(screen).includes('↳ !touch owned (after this turn)'))
  await type(terminal, ctrlC, (text) => isAsking(text, 'lead> !touch owned'))
  expect(shown(terminal.screen())).not.toContain('exit code')
  expect(shown(terminal.screen())).not.toContain('↳')
})

it('Esc at an approval decides nothing', async () => {
  const terminal = await openBusyChat({
    calls: [{ tool: 'web_fetch', input: { url: 'https://example.invalid/' } }],
  })
  terminal.type(continueKey)
  await terminal.until((screen) => shown(screen).endsWith('Enter to decide later:'))
  terminal.type(`${esc}${esc}\r\r`)
  await terminal.until((screen) => isAsking(shown(screen), 'lead>'))
  expect(shown(terminal.screen())).toContain('A decision is pending. Type /resume to see the question again.')
})

it('escape sequences in a message to working agents reach neither the terminal nor the model', async () => {
  const terminal = await openBusyChat()
  terminal.type(`${pasted('x\x1b]0;owned\x07\x1b[2Jy\u202e')}\r`)
  await terminal.until((screen) => shown(screen).includes('↳ xy'))
  terminal.type(continueKey)
  await terminal.until((screen) => isAsking(shown(screen), 'lead>'))
  expect(shown(terminal.screen())).toContain('2 heard <held xy>')
  for (const hostile of ['\x1b[2J', '\x1b]', '\u202e']) expect(terminal.screen()).not.toContain(hostile)
})

it('Esc when the reply has just ended does nothing, and keeps the typed text', async () => {
  const terminal = await openBusyChat()
  terminal.type(`half${continueKey}`)
  await terminal.until((screen) => isAsking(shown(screen), 'lead> half'))
  terminal.type(`${esc} a line`)
  await terminal.until((screen) => isAsking(shown(screen), 'lead> half a line'))
  expect(shown(terminal.screen())).not.toContain('Stopped')
})

const filler = 'word '.repeat(1_000)

/** A server that never answers a request for a summary, or answers it. */
async function talk(summary: ReturnType<typeof answers.reply>) {
  const isSummary = (text: string) => text.includes("Summarise an agent's work")
  const wire = await startWire(({ text }) =>
    isSummary(text) ? summary : answers.reply({ text: `Answer ${filler}end.` }),
  )
  onTestFinished(wire.close)
  const env = { OPENAI_BASE_URL: wire.url, CADRE_MODEL: 'openai:big' }
  const project = createProject(agentFile('lead'))
  const reopen = (...flags: string[]) => openAt({ columns: 100, rows: 30, env }, project, ['chat', ...flags])
  const terminal = await reopen()
  for (const question of ['One?', 'Two?', 'Three?']) await say(terminal, `${question}\r`, 'end.')
  const summaries = () => wire.requests.filter(({ text }) => isSummary(text)).length
  return { wire, project, terminal, reopen, summaries }
}

it('/compact summarises older rounds: the next request has the summary instead of them', async () => {
  const { wire, terminal, summaries } = await talk(answers.reply({ text: 'They asked three things.' }))
  await say(terminal, '/compact\r', 'Older rounds were summarised. The session file keeps them.')
  expect(summaries()).toBe(1)
  await say(terminal, 'Four?\r', 'end.')
  const last = wire.requests.at(-1)?.text ?? ''
  expect(last).toContain('They asked three things.')
  expect(last).not.toContain('Two?')
  await say(terminal, '/history\r', '> Four?')
})

it('/compact can be stopped, keeps text typed meanwhile, and after a kill the conversation continues', async () => {
  const { wire, terminal, reopen, summaries } = await talk(answers.hang())
  terminal.type('/compact\r')
  await terminal.until((screen) => shown(screen).includes('Summarising…'))
  await wire.received(4)
  terminal.type('and then\r')
  await terminal.until((screen) => isAsking(shown(screen), 'lead>') === false)
  await type(terminal, esc, (text) => isAsking(text, 'lead> and then'))
  expect(shown(terminal.screen())).toContain('Stopped. Nothing was summarised.')
  terminal.type('\x15/compact\r')
  await wire.received(5)
  expect(summaries()).toBe(2)
  process.kill(terminal.pid(), 'SIGKILL')
  await terminal.ended()
  const again = await reopen('--resume')
  await say(again, 'Four?\r', 'end.')
  expect(wire.requests.at(-1)?.text).toContain('One?')
})

it('/compact during a turn waits for its end', async () => {
  const terminal = await openBusyChat()
  terminal.type(`/compact\r${continueKey}`)
  await terminal.until((screen) => isAsking(shown(screen), 'lead>'))
  expect(shown(terminal.screen())).toMatch(
    /2 heard <held>.*lead> \/compact\n.*There is nothing to summarise: the conversation is too short\./s,
  )
})

it('Esc twice in a reply stops it and restores the terminal', async () => {
  const choose = [
    { when: { matches: '/More/' }, reply: 'Again.' },
    { reply: 'Slowly, then', stream: { pieces: 2, every: 3_600_000 } },
  ]
  const terminal = await open(
    createProject({ ...agentFile('lead'), 'p.yaml': { lanes: { lead: [{ choose }] } } }),
  )
  terminal.type('Go.\r')
  await terminal.until((screen) => shown(screen).includes('replying'))
  await say(terminal, `${esc}${esc}`, stopped)
  await say(terminal, 'More?\r', 'Again.')
  terminal.type(ctrlD)
  expect(await terminal.ended()).toBe(0)
  expect(isRestored(terminal.screen())).toBe(true)
})
