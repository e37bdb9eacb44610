import type { Risk } from '@cadre/core'

const folders = new Set(['.ssh', '.aws', '.gnupg', '.kube', '.docker', 'secret', 'secrets', 'credentials'])
const files = new Set(['config.json', '.netrc', '.npmrc', '.pypirc', '.git-credentials', '.htpasswd'])
const stems = new Set([
  'secret',
  'secrets',
  'password',
  'passwords',
  'passwd',
  'credentials',
  'id_rsa',
  'id_ed25519',
])
const endings = new Set(['pem', 'key', 'p12', 'pfx', 'keystore', 'jks', 'kdbx'])

/** Rates the risk of changing these paths, with reasons. Only whole names count: `secretary.md` is not a secret. */
export function assessTarget(paths: readonly string[]): {
  readonly risk: Risk
  readonly reasons: readonly string[]
} {
  const reasons = paths.flatMap((path) => {
    const names = path
      .toLowerCase()
      .split(/[\\/]+/)
      .filter((name) => name !== '')
    const telling = /^[\\/]etc[\\/]/i.test(path)
      ? '/etc'
      : names.find((name, at) => isSecret(name, at === names.length - 1))
    return telling === undefined ? [] : [`${path} may contain secrets or system settings (${telling})`]
  })
  return { risk: reasons.length > 0 ? 'HIGH' : 'MEDIUM', reasons }
}

function isSecret(name: string, isLast: boolean): boolean {
  if (folders.has(name) || /^\.env(\..+)?$/.test(name)) return true
  if (!isLast) return stems.has(name)
  const dot = name.lastIndexOf('.')
  const stem = name.slice(0, name.indexOf('.', 1) < 0 ? name.length : name.indexOf('.', 1))
  return files.has(name) || stems.has(stem) || (dot > 0 && endings.has(name.slice(dot + 1)))
}
