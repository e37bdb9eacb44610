import { readFileSync } from 'node:fs'
import { isIPv4, type Socket } from 'node:net'
import { endianness } from 'node:os'

/**
 * The system user at the other end of a connection on this machine. `undefined` if the connection comes from elsewhere, or if the system
 * does not report the user. Only Linux does.
 */
export function peerUser(socket: PeerEnds): number | undefined {
  const { remoteAddress, remotePort, localAddress, localPort } = socket
  if (remoteAddress === undefined || remotePort === undefined) return undefined
  if (localAddress === undefined || localPort === undefined) return undefined
  // At the other end, the addresses are swapped. Ports alone do not identify it: a user can use the same port on another loopback address,
  // and the system lists a closed connection there as root's.
  const [own, other] = [hexForms(remoteAddress, remotePort), hexForms(localAddress, localPort)]
  const users = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) =>
    rowsOf(file).flatMap(([, local, remote, , , , , uid]) =>
      local !== undefined && remote !== undefined && own.includes(local) && other.includes(remote)
        ? [Number(uid)]
        : [],
    ),
  )
  const [user] = users
  return users.every((one) => one === user) ? user : undefined
}

export type PeerEnds = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort'>

function rowsOf(file: string): string[][] {
  return textOf(file)
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
}

/** An address and port as the kernel lists them. An IPv4 address may also be listed in its IPv6 form. */
function hexForms(address: string, port: number): string[] {
  const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const ipv4 = address.replace(/^::ffff:/i, '')
  if (isIPv4(ipv4)) {
    const bytes = ipv4.split('.').map(Number)
    return [`${wordsOf(bytes)}${end}`, `${wordsOf([...new Array(10).fill(0), 255, 255, ...bytes])}${end}`]
  }
  return [`${wordsOf(bytesOfIPv6(address))}${end}`]
}

function bytesOfIPv6(address: string): number[] {
  const [before = '', after] = (address.split('%', 1)[0] ?? '').split('::')
  const groups = (text = '') =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
  const [head, tail] = [groups(before), groups(after)]
  const all = [...head, ...new Array(Math.max(0, 8 - head.length - tail.length)).fill(0), ...tail]
  return all.flatMap((group: number) => [group >> 8, group & 255])
}

/** The kernel prints 32-bit words in the byte order of the machine. */
function wordsOf(bytes: readonly number[]): string {
  const words: string[] = []
  for (let at = 0; at < bytes.length; at += 4) {
    const word = bytes.slice(at, at + 4).map((byte) => byte.toString(16).toUpperCase().padStart(2, '0'))
    words.push((endianness() === 'LE' ? word.toReversed() : word).join(''))
  }
  return words.join('')
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
