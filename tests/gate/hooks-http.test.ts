import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { makeCertificate } from '../support/certificate.ts'
import { createHookProject } from './support/hook-project.ts'
import { callOf, never, sessionAt } from './support/sessions.ts'

const bash = callOf('execute_command', { command: 'ls' })

interface Asked {
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** A server on this machine that records its requests. */
async function serve(answer: (response: ServerResponse) => void) {
  const { key, cert } = makeCertificate()
  const asked: Asked[] = []
  const server = createServer({ key, cert }, (request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part
    })
    request.on('end', () => {
      asked.push({ headers: request.headers, body })
      answer(response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `https://localhost:${(server.address() as AddressInfo).port}/hook`, cert, asked }
}

function projectWith(entry: object, event = 'preToolUse') {
  return createHookProject({
    '.github/hooks/a.json': { version: 1, hooks: { [event]: [{ type: 'http', ...entry }] } },
  })
}

it('a server decides over https, with the same payload as a program', async () => {
  const { url, cert, asked } = await serve((response) =>
    response.end('{"permissionDecision":"deny","permissionDecisionReason":"no"}'),
  )
  const project = projectWith({
    url,
    headers: { 'X-Source': 'a $NAMED b $OTHER c', Authorization: 'Bearer $TOKEN' },
    allowedEnvVars: ['NAMED', 'TOKEN'],
  })
  const hooks = project.hooks({
    certificates: cert,
    // The variables that the policy permits for a hook. TOKEN is not among them.
    environment: (extra) => ({ NAMED: 'value', OTHER: 'hidden', ...extra }),
  })
  const verdict = await hooks.rule.judge(bash, sessionAt(project.path), never)
  expect(verdict).toMatchObject({ kind: 'deny', reason: expect.stringContaining('no') })
  expect(asked).toHaveLength(1)
  expect(JSON.parse(asked[0]!.body)).toEqual({
    sessionId: 'lead-1',
    timestamp: Date.UTC(2026, 0, 2, 3, 4, 5),
    cwd: project.path,
    toolName: 'bash',
    toolArgs: '{"command":"ls"}',
  })
  expect(asked[0]!.headers).toMatchObject({
    'content-type': 'application/json',
    'x-source': 'a value b  c',
    authorization: 'Bearer',
  })
})

it.each([
  ['answers with an error', (response: ServerResponse) => response.writeHead(500).end('{}')],
  [
    'redirects',
    (response: ServerResponse) => response.writeHead(307, { location: 'https://localhost:1/' }).end(),
  ],
  ['breaks off', (response: ServerResponse) => response.destroy()],
  ['answers with something other than JSON', (response: ServerResponse) => response.end('{oops')],
  ['does not answer', () => {}],
])('before a call, a server that %s denies; afterwards it only warns', async (_, answer) => {
  const { url, cert } = await serve(answer)
  const before = projectWith({ url, timeoutSec: 1 })
  const verdict = await before.hooks({ certificates: cert }).rule.judge(bash, sessionAt(before.path), never)
  expect(verdict).toMatchObject({ kind: 'deny', by: 'hook' })
  const after = projectWith({ url, timeoutSec: 1 }, 'postToolUse')
  const attention = await after
    .hooks({ certificates: cert })
    .onLifecycleEvent(
      { kind: 'call.settled', call: bash, outcome: 'done', content: '' },
      sessionAt(after.path),
      never,
    )
  expect(attention).toEqual({ notices: [expect.objectContaining({ code: 'hook' })] })
})

it('a server with an untrusted certificate is not used', async () => {
  const { url, asked } = await serve((response) => response.end('{"permissionDecision":"allow"}'))
  const project = projectWith({ url })
  expect(await project.hooks().rule.judge(bash, sessionAt(project.path), never)).toMatchObject({
    kind: 'deny',
  })
  expect(asked).toEqual([])
})

it('an address without https is listed, and never requested', () => {
  const project = projectWith({ url: 'http://localhost:1/' })
  const [hook] = project.find().hooks
  expect(hook?.idle).toContain('https')
  expect(project.hooks().rule.judge(bash, sessionAt(project.path), never)).toBeUndefined()
})
