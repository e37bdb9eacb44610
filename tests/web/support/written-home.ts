import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Draft, Entry, JsonObject, SessionSpec } from '@cadre/core'
import { type Home, openHome } from '@cadre/home'
import { emitJournal, specOf } from '../../../packages/journal/src/format/journal.spec-helpers.ts'

const start = Date.parse('2026-11-15T10:00:00.000Z')

/** A home in a temporary folder. */
export interface WrittenHome {
  readonly home: Home
  /** Writes a session. Its entries are numbered from 1, two seconds apart. */
  session(id: string, drafts: readonly Draft[], changes?: Partial<SessionSpec>): void
  /** Writes another file of the home. */
  file(name: string, text: string): void
  remove(): void
}

export function writtenHome(): WrittenHome {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-web-'))
  const home = openHome({ home: path.join(folder, 'home'), cwd: '/', env: {} })
  home.folder('sessions')
  return {
    home,
    session(id, drafts, changes = {}) {
      const agent = id.replace(/-.*$/, '')
      const at = (index: number) => new Date(start + index * 2000).toISOString()
      const entries = drafts.map(
        (draft, index) => ({ seq: index + 1, timestamp: at(index), ...draft }) as Entry,
      )
      const spec = specOf(id, {
        agent: { name: agent, description: 'Works.', prompt: 'You work.', tools: { kind: 'all' } },
        chain: [agent],
        workspace: folder,
        created: at(0),
        ...changes,
      })
      writeFileSync(home.at('sessions', `${id}.session.yaml`), emitJournal(entries, spec))
    },
    file(name, text) {
      mkdirSync(path.dirname(home.at(name)), { recursive: true })
      writeFileSync(home.at(name), text)
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  }
}

export const say = (content: string): Draft => ({ role: 'user', content })

export const reply = (
  content: string,
  ...calls: readonly (readonly [id: string, name: string, input: object])[]
): Draft => ({
  role: 'assistant',
  content,
  usage: { input: 900, output: 100, cost: 0.25 },
  ...(calls.length > 0 && {
    tool_calls: calls.map(([id, name, input]) => ({
      id,
      type: 'function' as const,
      function: { name, arguments: JSON.stringify(input) },
    })),
  }),
})

export const started = (call: string, more: object = {}): Draft => ({
  role: 'event',
  type: 'call.started',
  call,
  by: 'policy',
  rule: 'effects.read',
  ...more,
})

export const result = (call: string, content: string): Draft => ({
  role: 'tool_result',
  tool_call_id: call,
  content,
})

export const ended = (session: string, text = 'Done.'): Draft => ({
  role: 'event',
  type: 'session.ended',
  report: {
    type: 'report',
    session,
    agent: session.replace(/-.*$/, ''),
    status: 'completed',
    text,
    model: 'scripted',
    usage: { input: 900, output: 100, cost: 0.25 },
    sessions: 1,
    calls: 1,
  },
})

/** A call that needs an approval, and its question. */
export function asks(
  call: string,
  command: string,
  risk: 'LOW' | 'MEDIUM' | 'HIGH' = 'MEDIUM',
  more: JsonObject = {},
): readonly Draft[] {
  const args = JSON.stringify({ command })
  const why = 'The policy asks for every command.'
  return [
    reply('I run it.', [call, 'run_command', { command }]),
    { role: 'event', type: 'call.held', call, by: 'policy', rule: 'effects.execute', content: why, risk },
    {
      role: 'event',
      type: 'person.asked',
      call,
      name: `approval/${call}`,
      kind: 'approval',
      text: `wants to use run_command ${args}`,
      choices: ['approve', 'approve-session', 'reject'],
      detail: {
        agent: 'builder',
        type: 'terminal_command',
        action: command,
        tool: 'run_command',
        arguments: args,
        risk,
        reasons: ['Runs a program.'],
        by: 'policy',
        rule: 'effects.execute',
        reason: why,
        ...more,
      },
    },
  ]
}
