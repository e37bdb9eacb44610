import { execFileSync } from 'node:child_process'
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connect, constants } from 'node:http2'
import { freePort } from '@cadre/testing'
import { expect, test } from 'vitest'
import { openEngineProject } from './support/engine-project.ts'

const files = {
  'playbook.yaml': { lanes: { planner: [{ reply: 'It is done.' }] } },
  '.cadre/templates/planner.agent.yaml':
    'id: planner\ntype: planner\ndescription: Plans\nsystem_prompt: You plan.\n',
}

/** Sends a request as the server does, and returns the status. */
function request(url: string, path: string, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    const session = connect(url)
    session.on('error', reject)
    const stream = session.request({
      [constants.HTTP2_HEADER_METHOD]: path === '/discover' ? 'GET' : 'POST',
      [constants.HTTP2_HEADER_PATH]: path,
      'content-type': 'application/vnd.restate.invocation.v5',
      accept: 'application/vnd.restate.endpointmanifest.v4+json',
      ...headers,
    })
    stream.on('error', reject)
    stream.on('response', (answer) => {
      resolve(Number(answer[constants.HTTP2_HEADER_STATUS]))
      session.destroy()
    })
    stream.end()
  })
}

/** The headers with which a server that has this key signs a request. `claimed`: the key that it names. */
function signature(key: KeyObject, claimed: string, path: string, expires = 60): Record<string, string> {
  const seconds = Math.floor(Date.now() / 1000)
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const header = part({ alg: 'EdDSA', typ: 'JWT', kid: claimed })
  const claims = part({ aud: path, nbf: seconds - 60, iat: seconds, exp: seconds + expires })
  const text = `${header}.${claims}`
  return {
    'x-restate-signature-scheme': 'v1',
    'x-restate-jwt-v1': `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`,
  }
}

test('a worker with identityKeys carries out signed requests, and rejects all others', async () => {
  const { project, keeper, startWorker } = await openEngineProject(files)
  const worker = await startWorker()
  const { url } = JSON.parse(
    worker
      .stdout()
      .split('\n')
      .find((line) => line.includes('worker.ready')) ?? '',
  )
  const config = project.read('.cadre/config.yaml')
  const publicKey = /publickeyv1_\w+/.exec(config)?.[0] as string
  const place = /"place":"([^"]+)"/.exec(config)?.[1] as string
  const own = createPrivateKey(readFileSync(project.at('.config/cadre/engine-identity.pem')))
  const { privateKey: foreign } = generateKeyPairSync('ed25519')
  for (const path of ['/discover', `/invoke/cadre-${place}/run`, `/invoke/cadre-${place}-ledger/change`]) {
    expect(await request(url, path, {})).toBe(401)
    expect(await request(url, path, signature(foreign, publicKey, path))).toBe(401)
    expect(await request(url, path, signature(foreign, 'publickeyv1_unknown', path))).toBe(401)
    expect(await request(url, path, signature(own, publicKey, path, -3_600))).toBe(401)
    const { 'x-restate-jwt-v1': token } = signature(own, publicKey, path)
    expect(await request(url, path, { 'x-restate-signature-scheme': 'v1' })).toBe(401)
    expect(
      await request(url, path, { 'x-restate-signature-scheme': 'v1', 'x-restate-jwt-v1': `${token}x` }),
    ).toBe(401)
  }
  // The same request, signed by the server's key, shows that the others failed because of their signatures.
  expect(await request(url, '/discover', signature(own, publicKey, '/discover'))).toBe(200)
  const rested = new Promise((resolve) => keeper.onRest((_root, result) => resolve(result)))
  await keeper.start({ id: 'planner-1', agent: 'planner', work: 'Plan.', workspace: project.path })
  expect(await rested).toMatchObject({ kind: 'report', report: { status: 'completed' } })
})

test('a worker without identityKeys does not listen beyond this machine', async () => {
  const { project } = await openEngineProject(files)
  const config = project.read('.cadre/config.yaml')
  project.write('.cadre/config.yaml', config.replace(/"identityKeys":\[[^\]]*\]/, '"identityKeys":[]'))
  for (const host of ['0.0.0.0', '::', '10.0.0.3', '127.0.0.1.example']) {
    const ended = await project.cadre(['worker', '--trust', '--host', host, '--port', '0'])
    expect(ended.code).toBe(2)
    expect(ended.stderr).toContain(`a worker may listen on ${host} only if engine.identityKeys`)
  }
})

/** The addresses on which a process listens. */
function listeners(pid: number): string[] {
  const rows = execFileSync('ss', ['-Hltnp'], { encoding: 'utf8' }).split('\n')
  return rows.filter((row) => row.includes(`pid=${pid},`)).map((row) => row.split(/\s+/)[3] as string)
}

test.runIf(process.platform === 'linux')(
  'the server, a worker and a daemon listen only on loopback, unless they are told otherwise',
  async () => {
    const { project, engine, startWorker, startDaemon } = await openEngineProject({
      ...files,
      '.cadre/config.yaml': `daemon: { port: ${await freePort()} }
channels: { webhook: { hooks: { notes: { scheme: token, secret_env: HOOK } } } }
`,
    })
    const worker = await startWorker()
    await startDaemon()
    const [status] = (await project.cadre(['status', '--json'])).json() as { pid: number }[]
    const { pid } = JSON.parse(engine.stdout()) as { pid: number }
    for (const process of [pid, worker.child.pid as number, status?.pid as number]) {
      const addresses = listeners(process)
      expect(addresses, `process ${process}`).not.toEqual([])
      for (const address of addresses) expect(address).toMatch(/^(127\.0\.0\.1|\[::1\]):\d+$/)
    }
  },
)
