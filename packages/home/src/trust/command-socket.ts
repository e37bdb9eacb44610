/**
 * A sign that a command without a sandbox is running which the command cannot delete: on Linux, its Cadre process listens on a socket
 * in the abstract namespace, and other processes find the name in `/proc/net/unix`. It disappears with the process.
 */
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { linkTarget } from '@cadre/disk'

const sockets = '/proc/net/unix'
const prefix = 'cadre-unguarded-'
const own = new Set<string>()
/** The first real path of each home, because a command could put a link to a copy in its place. */
const firstRealPaths = new Map<string, string>()

/**
 * Listens until the returned function is called. On systems without such sockets it does nothing. Throws if the system has them and
 * this one cannot be opened: the command must not run then.
 */
export function holdCommandSocket(home: string): () => void {
  if (process.platform !== 'linux' || readSockets() === undefined) return () => undefined
  const [, real = home] = pathsOf(home)
  const name = `${prefix}${hashOf(real)}-${hashOf(folderOf(home))}-${process.pid}-${randomBytes(6).toString('hex')}`
  // Nobody has a reason to connect.
  const server = createServer((socket) => socket.destroy()).unref()
  // The error follows in a later turn. Listening itself succeeds or fails at once.
  server.on('error', () => undefined)
  server.listen({ path: `\0${name}`, exclusive: true })
  if (!server.listening)
    throw new Error('Cadre cannot open the socket that announces this command to other Cadre processes')
  own.add(name)
  return () => {
    own.delete(name)
    server.close()
  }
}

/** Returns whether another process of this user, or of the owner of the home, holds such a socket for this home. */
export function isCommandSocketHeld(home: string): boolean {
  const table = readSockets()
  if (table === undefined || !table.includes(`@${prefix}`)) return false
  const hashes = new Set([...pathsOf(home), folderOf(home)].map(hashOf))
  // An older Node pads the name, and the system shows the padding as `@`.
  const line = new RegExp(
    ` (\\d+) @(${prefix}([0-9a-f]{16})-([0-9a-f]{16})-(\\d{1,10})-[0-9a-f]{12})@*$`,
    'gm',
  )
  return [...table.matchAll(line)].some(([, inode = '', name = '', place = '', folder = '', pid = '']) => {
    if (own.has(name) || !(hashes.has(place) || hashes.has(folder))) return false
    return isHeldBy(pid, inode, home)
  })
}

/** Anyone can use any name, and the socket of another user must not block decisions. */
function isHeldBy(pid: string, inode: string, home: string): boolean {
  try {
    const { uid } = statSync(`/proc/${pid}`)
    if (uid !== process.getuid?.() && uid !== statSync(home).uid) return false
    const folder = `/proc/${pid}/fd`
    return readdirSync(folder).some((name) => linkTarget(`${folder}/${name}`) === `socket:[${inode}]`)
  } catch {
    // The process has ended, or belongs to somebody else.
    return false
  }
}

function readSockets(): string | undefined {
  try {
    return readFileSync(sockets, 'latin1')
  } catch {
    return undefined
  }
}

/** The paths under which the home is known: as it was given, its real path, and its first real path in this process. */
function pathsOf(home: string): [string, string, string] {
  const given = path.resolve(home)
  let real = given
  try {
    real = realpathSync(given)
  } catch {
    // It does not exist.
  }
  const first = firstRealPaths.get(given) ?? real
  firstRealPaths.set(given, first)
  return [given, real, first]
}

/** Stays the same when the folder is moved. */
function folderOf(home: string): string {
  const { dev, ino } = statSync(home, { throwIfNoEntry: false, bigint: true }) ?? {}
  return ino === undefined ? '' : `${dev}:${ino}`
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
