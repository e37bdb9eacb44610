import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CadreError } from '@cadre/core'

export interface EngineIdentity {
  /** The private key, in PEM. It is outside all projects, where sandboxed commands cannot read it. */
  readonly file: string
  /** For `engine.identityKeys`. */
  readonly publicKey: string
}

/** The key with which this user's server signs requests to workers. Created once. */
export function engineIdentity(folder: string): EngineIdentity {
  const file = path.join(folder, 'engine-identity.pem')
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const { privateKey } = generateKeyPairSync('ed25519')
    writeFileSync(`${file}.tmp`, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
    renameSync(`${file}.tmp`, file)
  }
  return { file, publicKey: publicKeyOf(file) }
}

function publicKeyOf(file: string): string {
  let key: KeyObject
  try {
    key = createPrivateKey(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new CadreError(
      'configuration',
      'this file is not a private key. Remove it: "cadre engine start" then creates a new one, and workers need the new engine.identityKeys.',
      { where: file, cause: error },
    )
  }
  // The raw key is at the end of the structure.
  const raw = createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(-32)
  return `publickeyv1_${base58(raw)}`
}

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

function base58(bytes: Buffer): string {
  let number = BigInt(`0x${bytes.toString('hex')}`)
  let text = ''
  for (; number > 0n; number /= 58n) text = `${alphabet[Number(number % 58n)]}${text}`
  const zeros = bytes.findIndex((byte) => byte !== 0)
  return `${'1'.repeat(zeros < 0 ? bytes.length : zeros)}${text}`
}
