import { BlockList, isIPv4, isIPv6 } from 'node:net'

const privateRanges = new BlockList()
// Everything that is not the public internet: this machine, local networks, and reserved ranges.
for (const range of [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]) {
  const [network = '', bits] = range.split('/')
  privateRanges.addSubnet(network, Number(bits), 'ipv4')
}
// Only 2000::/3 is public; it includes ranges that embed another address or are reserved.
const publicRanges = new BlockList()
publicRanges.addSubnet('2000::', 3, 'ipv6')
for (const range of ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']) {
  const [network = '', bits] = range.split('/')
  privateRanges.addSubnet(network, Number(bits), 'ipv6')
}

/** True if an address is on this machine or a network that is not public. Invalid addresses count as private. */
export function isPrivateAddress(address: string): boolean {
  if (isIPv4(address)) return privateRanges.check(address, 'ipv4')
  if (!isIPv6(address)) return true
  const plain = address.replace(/%.*$/, '')
  const inner = ipv4Inside(plain)
  if (inner !== undefined) return privateRanges.check(inner, 'ipv4')
  return !publicRanges.check(plain, 'ipv6') || privateRanges.check(plain, 'ipv6')
}

/** Returns the IPv4 address in `::ffff:1.2.3.4`. */
function ipv4Inside(address: string): string | undefined {
  const match = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i.exec(address)
  if (match === null) return undefined
  if (match[1] !== undefined) return match[1]
  const high = Number.parseInt(match[2] as string, 16)
  const low = Number.parseInt(match[3] as string, 16)
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}
