import { readdirSync, writeFileSync } from 'node:fs'
import type { SessionSpec } from '@cadre/core'
import { hasCode, ownerOnly } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { checkSessionName } from '@cadre/home'

/**
 * Owns `storage/charges`, which records which task sessions spend from the budget of a tree. Each has an empty file that is created
 * before the session, so that reopening the budget finds everything that was spent from it.
 */
export function recordCharge(home: Home, { id, limits, parent }: SessionSpec): void {
  const { charged } = limits
  if (charged === undefined || parent !== undefined) return
  checkSessionName(charged.root)
  home.folder('storage', 'charges', charged.root)
  writeFileSync(home.at('storage', 'charges', charged.root, id), '', { mode: ownerOnly })
}

export function sessionsChargedTo(home: Home, root: string): readonly string[] {
  checkSessionName(root)
  try {
    return readdirSync(home.at('storage', 'charges', root)).toSorted()
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
}
