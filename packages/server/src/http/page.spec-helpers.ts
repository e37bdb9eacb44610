import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, type IncomingHttpHeaders, request as sendRequest } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Role } from '@cadre/api'
import type { Draft, Entry, SessionSpec } from '@cadre/core'
import { type Home, openHome } from '@cadre/home'
import { onTestFinished } from 'vitest'
import { emitJournal, specOf, timestamp } from '../../../journal/src/format/journal.spec-helpers.ts'
import { type OpenedPage, type OpenPageOptions, openPage } from './open-page.ts'

export interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body as JSON. */
  json<T = Record<string, unknown>>(): T
}

export interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 })

/** Sends a request with exactly these headers, as no browser would. */
export function send(address: string, target: string, sent: Sent = {}): Promise<Answered> {
  const { hostname, port } = new URL(address)
  const body = sent.body === undefined ? undefined : JSON.stringify(sent.body)
  return new Promise((resolve, reject) => {
    const request = sendRequest(
      {
        hostname,
        port,
        path: target,
        method: sent.method ?? 'GET',
        agent,
        headers: {
          ...(body !== undefined && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
          }),
          ...sent.headers,
        },
      },
      (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(parts).toString('utf8')
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            json: <T>() => JSON.parse(text) as T,
          })
        })
      },
    )
    // The server may close a connection just when the client reuses it.
    request.on('error', (error) =>
      request.reusedSocket ? resolve(send(address, target, sent)) : reject(error),
    )
    request.end(body)
  })
}

export function temporaryHome(): Home {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-page-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  const home = openHome({ home: path.join(folder, 'home'), cwd: '/', env: {} })
  home.folder('sessions')
  return home
}

/** Writes a session file with these entries, numbered from 1. */
export function writeSession(
  home: Home,
  id: string,
  drafts: readonly Draft[],
  changes: Partial<SessionSpec> = {},
): void {
  const entries = drafts.map((draft, index) => ({ seq: index + 1, timestamp, ...draft }) as Entry)
  const text = emitJournal(entries, specOf(id, changes))
  writeFileSync(home.at('sessions', `${id}.session.yaml`), text)
}

/** The entries of a session that asks a person about a command. */
export function askingEntries(command = 'npm test', call = 'call-1'): Draft[] {
  const args = JSON.stringify({ command })
  const fn = { name: 'run_command', arguments: args }
  return [
    { role: 'user', content: 'Check the cache.' },
    {
      role: 'assistant',
      content: 'I run the tests.',
      tool_calls: [{ id: call, type: 'function', function: fn }],
      usage: { input: 100, output: 20, cost: 0.01 },
    },
    {
      role: 'event',
      type: 'call.held',
      call,
      by: 'policy',
      rule: 'commands',
      content: 'Needs approval.',
      risk: 'MEDIUM',
    },
    {
      role: 'event',
      type: 'person.asked',
      call,
      name: `approval/${call}`,
      kind: 'approval',
      text: `lead wants to use run_command ${args}`,
      choices: ['approve', 'reject'],
      detail: {
        agent: 'lead',
        type: 'terminal_command',
        action: command,
        tool: 'run_command',
        arguments: args,
        risk: 'MEDIUM',
        reasons: ['Runs a program.'],
        by: 'policy',
        rule: 'commands',
        reason: 'Needs approval.',
      },
    },
  ]
}

export interface TestPage extends OpenedPage {
  readonly home: Home
  /** Logs in with the page's secret, which works once. Returns the headers of both halves. */
  login(): Promise<Readonly<Record<string, string>>>
}

/** A page without a daemon on a free port, with its own folder of files. Closed at the end of the test. */
export async function testPage(
  home: Home,
  options: Partial<Omit<OpenPageOptions, 'grant'>> & { readonly roles?: readonly Role[] } = {},
): Promise<TestPage> {
  const files = mkdtempSync(path.join(tmpdir(), 'cadre-files-'))
  writeFileSync(path.join(files, 'files.json'), '["index.html","main-1.js"]')
  writeFileSync(path.join(files, 'index.html'), '<!doctype html><title>Cadre</title>')
  writeFileSync(path.join(files, 'main-1.js'), 'export {}')
  writeFileSync(path.join(files, 'unlisted.js'), 'secret')
  const { roles = ['viewer', 'operator', 'approver'], ...rest } = options
  const page = await openPage({
    home,
    environment: {
      env: { CADRE_TRUST: '1', HOME: files, PATH: process.env['PATH'] },
      cwd: files,
      warn: () => {},
    },
    version: '0.0.0',
    grant: { by: 'ann', roles },
    port: 0,
    files,
    tell: () => {},
    ...rest,
  })
  onTestFinished(async () => {
    await page.close()
    rmSync(files, { recursive: true, force: true })
  })
  return {
    ...page,
    home,
    async login() {
      const secret = new URL(page.url).hash.slice('#key='.length)
      const answer = await send(page.address, '/api/login', { method: 'POST', body: { secret } })
      if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`)
      const cookie = String(answer.headers['set-cookie']?.[0]).split(';', 1)[0] ?? ''
      return { cookie, 'x-cadre-key': answer.json<{ key: string }>().key }
    },
  }
}
