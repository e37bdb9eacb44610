import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryHome } from '../page.spec-helpers.ts'
import { testSite } from '../site.spec-helpers.ts'
import { writeLogin } from './login-file.ts'
import { peerUser } from './peer-user.ts'

const isLinux = process.platform === 'linux'
const nobody = 65_534
const asNobody = { uid: nobody, gid: nobody, cwd: '/' }
const canSwitch =
  isLinux && process.getuid?.() === 0 && spawnSync(process.execPath, ['-e', ''], asNobody).status === 0

it.runIf(isLinux).each(['127.0.0.1', '::1'])('finds the user of a connection to %s', async (host) => {
  const server = createServer()
  onTestFinished(() => void server.close())
  server.listen(0, host)
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, host)
  onTestFinished(() => void client.destroy())
  const [socket] = (await once(server, 'connection')) as [Socket]
  expect(peerUser(socket)).toBe(process.getuid?.())
  const { remoteAddress = '', localAddress = '', localPort = 0 } = socket
  expect(peerUser({ remoteAddress, remotePort: undefined, localAddress, localPort })).toBeUndefined()
})

it.runIf(canSwitch)('refuses a login that another user has seen, and uses it up', async () => {
  const home = temporaryHome()
  const site = await testSite(home)
  const secret = writeLogin(home, { by: 'ann', roles: ['approver'] })
  const script = `fetch('${site.address}/api/login', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '${JSON.stringify({ secret })}' }).then(({ status }) => console.log(status))`
  const child = spawn(process.execPath, ['-e', script], asNobody)
  let text = ''
  child.stdout.on('data', (part) => {
    text += String(part)
  })
  await once(child, 'close')
  expect(text.trim()).toBe('403')
  const body = JSON.stringify({ secret })
  const headers = { 'content-type': 'application/json' }
  expect((await fetch(`${site.address}/api/login`, { method: 'POST', headers, body })).status).toBe(401)
})

it.runIf(canSwitch)('recognises a user who also has a closed connection with the same port', async () => {
  const server = createServer((socket) => void socket.on('error', () => {}).resume())
  onTestFinished(() => void server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  // The kernel lists a closed connection as one of root.
  const script = `
    const { connect } = require('node:net')
    const first = connect({ port: ${port}, host: '127.0.0.1' }, () => {
      const { localPort } = first
      first.end()
      first.on('close', () => connect({ port: ${port}, host: '127.0.0.1', localAddress: '127.0.0.2', localPort }))
    })`
  const second = new Promise<Socket>((resolve) => {
    server.on('connection', (socket) => socket.remoteAddress === '127.0.0.2' && resolve(socket))
  })
  const child = spawn(process.execPath, ['-e', script], asNobody)
  onTestFinished(() => void child.kill())
  expect(peerUser(await second)).toBe(nobody)
})
