import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import path from 'node:path'
import { freePort } from '@cadre/testing'
import { expect, onTestFinished, vi } from 'vitest'

const search = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/usr/local/sbin']
const find = (name: string) =>
  search.map((folder) => path.join(folder, name)).find((file) => existsSync(file))
// sshd starts itself again, so it needs its whole path.
const program = find('sshd')
const client = find('ssh')

const canLogIn = !/\/(nologin|false)$/.test(userInfo().shell ?? '')

/** Tests with sshd run in `npm run test:optional`, where it is installed and the user can log in. On Debian: `apt-get install openssh-server`. */
export const hasSshd =
  process.env['CADRE_OPTIONAL'] === '1' && program !== undefined && client !== undefined && canLogIn

export interface Sshd {
  /** The home folder of the user, with the settings of git. */
  readonly home: string
  /** The address of a repository on this machine. */
  address(repository: string): string
  /** The same, as `host:path`, with a host that only the client's settings know. */
  shortAddress(repository: string): string
  /** The arguments of all calls of ssh. */
  calls(): readonly string[]
  /** Accepts the client's key from now on. `isReadOnly`: only to fetch. */
  authorise(options?: { readonly isReadOnly: boolean }): void
  /** No longer accepts the client's key. */
  refuse(): void
  /** Replaces what the client knows of the server's key. Default: nothing. */
  know(known?: 'its key' | 'another key'): void
  /** Replaces the client's key by another one, or removes it. The server does not know the new one. */
  replaceKey(by: { readonly passphrase: string } | undefined): void
  start(): Promise<void>
  /** Ends the server and its connections. */
  stop(): Promise<void>
  /** Stops its processes without ending them, like a machine that no longer answers. */
  suspend(): void
}

/**
 * A real SSH server on loopback, and an `ssh` in PATH that uses only the test's key and settings. The client may log in, and knows the
 * server.
 */
export async function startSshd(): Promise<Sshd> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-ssh-')))
  const at = (name: string) => path.join(folder, name)
  const port = await freePort()
  makeKey(at('host_key'), '')
  makeKey(at('id'), '')
  // It refuses to start as root without this folder, which a service manager usually creates.
  if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  writeFileSync(
    at('sshd_config'),
    `Port ${port}
ListenAddress 127.0.0.1
HostKey ${at('host_key')}
AuthorizedKeysFile ${at('authorized_keys')}
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
`,
  )
  // Newer servers ignore a client for a while after a failure.
  const patient = 'PerSourcePenalties=no'
  const knowsPenalties = spawnSync(program ?? '', ['-t', '-f', at('sshd_config'), '-o', patient]).status === 0
  writeFileSync(
    at('ssh_config'),
    `IdentityFile ${at('id')}
IdentitiesOnly yes
IdentityAgent none
UserKnownHostsFile ${at('known_hosts')}
GlobalKnownHostsFile /dev/null
Host projects
HostName 127.0.0.1
Port ${port}
User ${userInfo().username}
`,
  )
  mkdirSync(at('bin'))
  writeFileSync(
    at('bin/ssh'),
    `#!/bin/sh\necho "$@" >>${at('calls')}\nexec ${client} -F ${at('ssh_config')} "$@"\n`,
    { mode: 0o755 },
  )
  writeFileSync(
    at('read-only'),
    `#!/bin/sh
case "$SSH_ORIGINAL_COMMAND" in
git-upload-pack*) eval "exec $SSH_ORIGINAL_COMMAND" ;;
*) echo 'This key can only read.' >&2; exit 1 ;;
esac
`,
    { mode: 0o755 },
  )
  vi.stubEnv('PATH', `${at('bin')}:${process.env['PATH']}`)
  vi.stubEnv('HOME', folder)
  for (const name of Object.keys(process.env))
    if (/^(XDG_CONFIG_HOME|GIT_|SSH_)/.test(name)) vi.stubEnv(name, undefined)
  let child: ChildProcess | undefined
  const group = (signal: NodeJS.Signals) => {
    for (const pid of child?.pid === undefined ? [] : familyOf(child.pid))
      try {
        process.kill(pid, signal)
      } catch {
        // It has ended.
      }
  }
  const sshd: Sshd = {
    home: folder,
    address: (repository) => `ssh://${userInfo().username}@127.0.0.1:${port}${repository}`,
    shortAddress: (repository) => `projects:${repository}`,
    calls: () => (existsSync(at('calls')) ? readFileSync(at('calls'), 'utf8').trim().split('\n') : []),
    authorise({ isReadOnly } = { isReadOnly: false }) {
      const options = isReadOnly ? `restrict,command="${at('read-only')}" ` : ''
      writeFileSync(at('authorized_keys'), `${options}${readFileSync(at('id.pub'), 'utf8')}`)
    },
    refuse: () => writeFileSync(at('authorized_keys'), ''),
    know(known) {
      const name = known === 'its key' ? 'host_key.pub' : 'id.pub'
      const [type, key] = readFileSync(at(name), 'utf8').split(' ')
      writeFileSync(at('known_hosts'), known === undefined ? '' : `[127.0.0.1]:${port} ${type} ${key}\n`)
    },
    replaceKey(by) {
      for (const name of ['id', 'id.pub']) rmSync(at(name), { force: true })
      if (by !== undefined) makeKey(at('id'), by.passphrase)
    },
    async start() {
      const args = [
        '-D',
        '-E',
        at('log'),
        '-f',
        at('sshd_config'),
        ...(knowsPenalties ? ['-o', patient] : []),
      ]
      child = spawn(program ?? '', args, { stdio: 'ignore' })
      await expect.poll(() => answers(port)).toBe(true)
    },
    async stop() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      group('SIGKILL')
      await ended
    },
    suspend: () => group('SIGSTOP'),
  }
  const end = () => group('SIGKILL')
  // A test that is killed leaves no server behind.
  process.once('exit', end)
  onTestFinished(async () => {
    await sshd.stop()
    process.off('exit', end)
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  sshd.authorise()
  sshd.know('its key')
  await sshd.start()
  return sshd
}

function makeKey(file: string, passphrase: string): void {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', passphrase, '-C', 'test', '-f', file])
}

/** A process and those that it started: the server starts one or more for each connection. Not what they run for the client. */
function familyOf(pid: number): number[] {
  const listed = execFileSync('ps', ['-eo', 'pid=,ppid=,comm='], { encoding: 'utf8' })
  const rows = listed
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
  const found = [pid]
  for (const parent of found)
    for (const [child, above, name = ''] of rows)
      if (Number(above) === parent && name.startsWith('sshd')) found.push(Number(child))
  return found
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
