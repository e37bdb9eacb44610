import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { restateFailure } from '../restate-failure.ts'
import { registerWorker } from './register-worker.ts'

const run = { name: 'run', enable_lazy_state: true, inactivity_timeout: '30d' }
const send = { name: 'send', enable_lazy_state: true }
/** What the server answers about each service. */
const service = {
  id: 'dp_1',
  handlers: [run, send],
  inactivity_timeout: '1m',
  abort_timeout: '10m',
  idempotency_retention: '1d',
  journal_retention: '0s',
}

/** The admin API of a server that cannot reach the worker for these reasons, one after the other, and then can. */
async function startAdmin(reasons: readonly string[], known: object = service): Promise<string> {
  const left = [...reasons]
  const server = createServer((request, response) => {
    const reason = request.url === '/deployments' ? left.shift() : undefined
    if (reason !== undefined) response.statusCode = 500
    response.end(
      JSON.stringify(
        reason === undefined
          ? known
          : { message: `[META0003] [META0003] error when calling 'W': ${reason}`, restate_code: 'META0003' },
      ),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const worker = { url: 'https://10.0.0.1:9444', place: 'office' }

test('tries again while a load balancer does not know the worker yet', async () => {
  const admin = await startAdmin(['connection closed', 'connection closed'])
  const said: string[] = []
  expect(await registerWorker({ ...worker, admin, report: (message) => said.push(message) })).toBe('dp_1')
  expect(said).toEqual([
    'the Restate server cannot reach this worker at https://10.0.0.1:9444: connection closed. Check --host, --port and --url, and the proxy or firewall between the server and this worker. Trying again…',
  ])
})

test('gives up with the reason if the server does not reach the worker', async () => {
  const admin = await startAdmin(['Connection refused'])
  await expect(registerWorker({ ...worker, admin, patience: 0 })).rejects.toThrow(
    'cannot reach this worker at https://10.0.0.1:9444: Connection refused.',
  )
})

test.each([
  ["got status code '401 Unauthorized'. Body: {}", /rejected the signature.*engine\.identityKeys/],
  ['invalid peer certificate: UnknownIssuer', /UnknownIssuer.*SSL_CERT_FILE/],
])('does not try again after "%s"', async (reason, message) => {
  const admin = await startAdmin([reason])
  await expect(registerWorker({ ...worker, admin })).rejects.toThrow(message)
})

test('says what to do about a certificate that is not trusted', () => {
  const failed = (code: string) => new TypeError('fetch failed', { cause: { code } })
  const advice = (code: string) => restateFailure(failed(code), 'engine.admin')
  expect(advice('UNABLE_TO_VERIFY_LEAF_SIGNATURE')).toContain('NODE_EXTRA_CA_CERTS')
  expect(advice('CERT_HAS_EXPIRED')).toContain('Replace its certificate')
  expect(advice('ECONNREFUSED')).toContain('correct engine.admin')
})

test.each([
  [{ handlers: [] }, 'does not serve trees'],
  [{ handlers: [{ ...run, enable_lazy_state: false }] }, 'loads the whole state of a tree'],
  [{ handlers: [{ ...run, inactivity_timeout: '90m' }] }, 'suspends invocations after 90m'],
  [{ handlers: [{ ...run, abort_timeout: '1h 30m' }] }, 'aborts invocations after 1h 30m'],
  [{ handlers: [{ ...run, retry_policy: { max_attempts: 70 } }] }, 'pauses a tree after 70 failed attempts'],
  [{ handlers: [run, { name: 'send' }] }, 'loads the whole state of an object'],
  [{ inactivity_timeout: '500ms' }, 'suspends requests after 500ms'],
  [{ abort_timeout: '1s' }, 'aborts requests after 1s'],
  [
    { handlers: [run, { ...send, retry_policy: { max_attempts: 70 } }] },
    'pauses requests of workers after 70',
  ],
  [{ journal_retention: '1d' }, 'keeps the journals of requests for 1d'],
  [
    { handlers: [run, { ...send, idempotency_retention: '1m' }] },
    "forgets orders after 1m, so an order that is repeated could be carried out twice. Raise idempotency-retention to at least ten minutes in the server's configuration. It applies to send of cadre-office-messages.",
  ],
])('refuses a server whose settings interrupt or lose work: %j', async (setting, message) => {
  const admin = await startAdmin([], { ...service, ...setting })
  await expect(registerWorker({ ...worker, admin })).rejects.toThrow(message)
})
