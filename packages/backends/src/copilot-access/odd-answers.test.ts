import { expect, it, onTestFinished } from 'vitest'
import { writeServer } from '../copilot-ls/fake-server.spec-helpers.ts'
import { startServer } from '../copilot-ls/server-process.ts'
import { systemClock } from '../pause.ts'
import { readAccount, readStoredAccount, readSubscription } from './account.ts'
import { readModels, readModes } from './catalogue.ts'
import { listAccounts, signIn, useAccount } from './copilot-sign-in.ts'

/** A server that gives this answer to everything but the handshake. */
async function serverOf(answer: string) {
  const program = writeServer(`c.onRequest((method) => method === 'initialize' ? {} : ${answer})
c.listen()
`)
  const command = { command: process.execPath, args: [program] }
  const start = await startServer({ command, env: {}, clock: systemClock })
  if (start.kind === 'failed') throw new Error(start.message)
  onTestFinished(() => start.server.stop())
  return start.server
}

it.each(['null', '5', '[null]', '{ status: {}, user: 5, tokens: [null], rawUserInfo: 5, userCode: 5 }'])(
  'finds no account, sign-in, model or mode if the server answers %s',
  async (answer) => {
    const server = await serverOf(answer)
    const unclear = expect.stringContaining('sent an invalid response to ')
    expect(await readAccount(server)).toEqual({ kind: 'unknown', message: unclear })
    expect(await readStoredAccount(server)).toEqual({ kind: 'unknown', message: unclear })
    expect(await readSubscription(server)).toEqual({})
    expect(await listAccounts(server)).toEqual([])
    expect(await useAccount(server, { id: 1, user: 'u', host: 'h' })).toBeUndefined()
    expect(await signIn(server, () => {})).toEqual({ kind: 'failed', message: unclear })
    expect(await readModels(server)).toBeUndefined()
    expect(await readModes(server)).toBeUndefined()
  },
)
