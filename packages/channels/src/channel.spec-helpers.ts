import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Answer, JsonObject } from '@cadre/core'
import type { ApprovalRecord, Decided } from '@cadre/gate'
import { appendInbox, type Home, openHome } from '@cadre/home'
import type { ChannelContext, PostHandler } from './channel.ts'
import type { DaemonEvent } from './daemon-event.ts'
import type { Problem } from './problems.ts'

export interface TestHome extends Disposable {
  readonly home: Home
  /** Returns the lines of a JSON Lines file. */
  lines(file: string): JsonObject[]
}

export function testHome(): TestHome {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'cadre-channel-')))
  const home = openHome({ home: 'home', cwd: folder, env: {} })
  return {
    home,
    lines(file) {
      try {
        return readFileSync(home.at(file), 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as JsonObject)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
        throw error
      }
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

export interface TestContext extends ChannelContext, AsyncDisposable {
  readonly pending: Map<string, ApprovalRecord>
  readonly decisions: { readonly id: string; readonly answer: Answer }[]
  readonly notes: DaemonEvent[]
  problemTexts(): string[]
  /** The URL of the handlers registered with `onPost`. */
  url(): Promise<string>
}

/** The daemon's context for a channel, with real files and a real server. Decisions are kept in memory: the first one applies. */
export function testContext(
  home: Home,
  settings: JsonObject,
  environment: Record<string, string> = {},
  more: Partial<Pick<ChannelContext, 'receive'>> = {},
): TestContext {
  const pending = new Map<string, ApprovalRecord>()
  const decisions: { id: string; answer: Answer }[] = []
  const notes: DaemonEvent[] = []
  const problems = new Map<string, readonly Omit<Problem, 'file'>[]>()
  const handlers = new Map<string, PostHandler>()
  const list = () => [...problems.values()].flat().map((problem) => ({ file: '[test]', ...problem }))
  const server = createServer((request, response) => void reply(request, response))
  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const handle = handlers.get(request.url ?? '')
    const headers = request.headers as Record<string, string>
    const answer = (await handle?.({ headers, body: Buffer.concat(parts) })) ?? { status: 404 }
    response.statusCode = answer.status
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? ''))
  }
  return {
    home,
    settings,
    environment,
    receive: more.receive ?? ((file, line) => appendInbox(home, file, line)),
    approvals: async () => [...pending.values()],
    voters: { ofSlack: (id) => ({ name: `slack:${id}`, roles: [], via: 'slack' }) },
    async decide(id, answer): Promise<Decided | 'unknown'> {
      const first = decisions.find((one) => one.id === id)
      const record = pending.get(id) ?? approval(id)
      if (first !== undefined) return { kind: 'recorded', answer: first.answer, record }
      if (!pending.has(id)) return 'unknown'
      decisions.push({ id, answer })
      pending.delete(id)
      return { kind: 'recorded', answer, record }
    },
    onPost: (path, handle) => handlers.set(path, handle),
    note: (happening) => notes.push(happening),
    problems: { report: (about, _file, found) => problems.set(about, found), list },
    pending,
    decisions,
    notes,
    problemTexts: () => list().map(({ message }) => message),
    async url() {
      if (!server.listening) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      if (server.listening) await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Waits for a condition; the timeout only ends a test that hangs. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what = 'the condition',
): Promise<void> {
  for (const end = Date.now() + 30_000; ; ) {
    if (await condition()) return
    if (Date.now() > end) throw new Error(`timed out waiting for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

export function approval(id: string, more: Partial<ApprovalRecord> = {}): ApprovalRecord {
  return {
    id,
    session: 's-1',
    root: 's-1',
    question: 'approval/c1',
    call: 'c1',
    agent: 'executor',
    type: 'terminal_command',
    action: 'docker ps',
    more: [],
    risk: 'MEDIUM',
    reasons: ['It may change the system.'],
    why: 'execute is asked for',
    grants: [],
    choices: ['approve', 'approve-session', 'reject'],
    created: '2026-01-01T00:00:00.000Z',
    status: 'pending',
    votes: [],
    ...more,
  }
}
