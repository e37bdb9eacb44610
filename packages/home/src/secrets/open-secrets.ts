import { createHash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { hasCode, makeFolder, ownerOnly, unlinkIfExists } from '@cadre/disk'
import { findSecretStores } from './secret-store.ts'

/** Secrets of this user by account, such as the sign-in of an MCP server. */
export interface Secrets {
  read(account: string): Promise<string | undefined>
  /** Resolves with the place where the secret is now: `the macOS keychain`. */
  write(account: string, secret: string): Promise<string>
  remove(account: string): Promise<void>
}

export interface SecretsOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  /** A folder of this user outside all projects, for machines without a secret store. */
  readonly folder: string
}

/** Uses the first secret store of this machine that accepts the secret. Without one, a file that only this user can read. */
export function openSecrets({ env, folder }: SecretsOptions): Secrets {
  const fileOf = (account: string) =>
    path.join(folder, `${createHash('sha256').update(account).digest('hex').slice(0, 32)}.secret`)
  return {
    async read(account) {
      for (const store of findSecretStores(env, account)) {
        const secret = await store.read()
        if (secret !== undefined) return secret
      }
      return readSecretFile(fileOf(account))
    },
    async write(account, secret) {
      for (const store of findSecretStores(env, account)) {
        if ((await store.store(secret)) !== undefined) continue
        unlinkIfExists(fileOf(account))
        return store.name
      }
      makeFolder(folder, () => 0o700)
      const draft = `${fileOf(account)}.${process.pid}`
      writeFileSync(draft, secret, { mode: ownerOnly })
      renameSync(draft, fileOf(account))
      return `${fileOf(account)} (this machine has no secret store that Cadre can use)`
    },
    async remove(account) {
      await Promise.all(findSecretStores(env, account).map((store) => store.remove()))
      unlinkIfExists(fileOf(account))
    },
  }
}

function readSecretFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}
