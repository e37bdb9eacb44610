import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../channel.spec-helpers.ts'

export const imapPassword = 'secret-word-of-bob'

const program = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/usr/local/sbin']
  .map((folder) => join(folder, 'dovecot'))
  .find((file) => existsSync(file))

/**
 * Tests with dovecot run in `npm run test:optional`, where it is installed. On Debian: `apt-get install dovecot-imapd`.
 */
export const hasDovecot = process.env['CADRE_OPTIONAL'] === '1' && program !== undefined

export interface Dovecot extends AsyncDisposable {
  readonly port: number
  /** Delivers an email. */
  deliver(text: string): void
  start(): Promise<void>
  stop(): Promise<void>
  /** Recreates the mailbox, as a server does after data loss: new UIDs, new UIDVALIDITY. */
  remake(): Promise<void>
  /** The names of the files that are marked as seen. */
  readonly folder: string
}

/** A real IMAP server with one empty mailbox of the current user. */
export async function startDovecot(settings = ''): Promise<Dovecot> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'cadre-imap-')))
  const mail = join(folder, 'mail')
  const { username, group, uid, gid } = owner()
  const port = await freePort()
  chownSync(folder, uid, gid)
  for (const name of ['base', 'state']) makeFolder(join(folder, name))
  makeMailbox()
  writeFileSync(
    join(folder, 'dovecot.conf'),
    `
protocols = imap
listen = 127.0.0.1
base_dir = ${folder}/base
state_dir = ${folder}/state
log_path = ${folder}/log
ssl = no
disable_plaintext_auth = no
default_internal_user = ${username}
default_internal_group = ${group}
default_login_user = ${username}
first_valid_uid = 0
mail_location = maildir:${mail}
auth_failure_delay = 0
passdb {
  driver = static
  args = password=${imapPassword}
}
userdb {
  driver = static
  args = uid=${uid} gid=${gid} home=${folder}
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service anvil {
  chroot =
}
${settings}
`,
  )
  let child: ChildProcess | undefined
  let delivered = 0
  const dovecot: Dovecot = {
    port,
    folder: mail,
    deliver(text) {
      const name = `${Date.now()}.M${++delivered}.test`
      writeFileSync(join(mail, 'tmp', name), text)
      // Atomically, as delivery programs do.
      writeFileSync(join(mail, 'new', name), text)
      rmSync(join(mail, 'tmp', name))
    },
    async start() {
      child = spawn(program ?? 'dovecot', ['-F', '-c', join(folder, 'dovecot.conf')], {
        stdio: 'ignore',
        uid,
        gid,
      })
      const ended = new Promise<never>((_, reject) =>
        child?.once('exit', () =>
          reject(new Error(`dovecot ended: ${readFileSync(join(folder, 'log'), 'utf8')}`)),
        ),
      )
      // Only matters during startup.
      ended.catch(() => {})
      await Promise.race([ended, until(() => answers(port), 'the IMAP server')])
    },
    async stop() {
      const ended = new Promise((resolve) => child?.once('exit', resolve))
      if (child?.exitCode !== null || !child.kill('SIGTERM')) return
      await ended
      await until(async () => !(await answers(port)), 'the IMAP server to end')
    },
    async remake() {
      await dovecot.stop()
      rmSync(mail, { recursive: true })
      makeMailbox()
      await dovecot.start()
    },
    async [Symbol.asyncDispose]() {
      await dovecot.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  // A test that is killed leaves no server behind.
  process.once('exit', () => child?.kill())
  await dovecot.start()
  return dovecot

  function makeMailbox(): void {
    for (const name of ['.', 'new', 'cur', 'tmp']) makeFolder(join(mail, name))
  }

  function makeFolder(path: string): void {
    mkdirSync(path, { recursive: true })
    chownSync(path, uid, gid)
  }
}

/** The current user; for root, the user nobody, because dovecot does not let root read mail. */
function owner(): { username: string; group: string; uid: number; gid: number } {
  const who = process.getuid?.() === 0 ? ['nobody'] : []
  const id = (option: string) => execFileSync('id', [option, ...who], { encoding: 'utf8' }).trim()
  return { username: id('-un'), group: id('-gn'), uid: Number(id('-u')), gid: Number(id('-g')) }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('data', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
    socket.once('close', () => resolve(false))
  })
}
