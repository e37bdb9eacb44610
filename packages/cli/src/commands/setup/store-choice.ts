import { CadreError } from '@cadre/core'
import { findSecretStores } from '@cadre/home'
import { userPaths } from '@cadre/runtime'
import type { Io } from '../../io.ts'
import { type NewSetting, writeSettings } from '../config/config-set.ts'

/** Writes the choice to the user's configuration, all at once. Returns the file. */
export function storeChoice(io: Io, model: string, settings: readonly NewSetting[]): string {
  const file = userPaths(io.env).config
  writeSettings(file, [{ keys: ['model'], value: model }, ...settings])
  return file
}

export interface StoredKey {
  readonly store: string
  readonly keyCommand: string
}

/** Stores a key in the first store that accepts it. Returns the reasons if none does. */
export async function storeKey(
  io: Io,
  account: string,
  key: string,
): Promise<StoredKey | { readonly reasons: readonly string[] }> {
  // Anything else is not valid in a header.
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new CadreError('usage', 'the key contains spaces or other invalid characters.')
  const reasons: string[] = []
  for (const store of findSecretStores(io.env, account)) {
    const reason = await store.store(key)
    if (reason === undefined) return { store: store.name, keyCommand: store.keyCommand }
    reasons.push(reason)
  }
  return { reasons }
}
