import { readdirSync, writeFileSync } from 'node:fs'
import type { SessionSpec } from '@cadre/core'
import type { Home } from '../home/open-home.ts'
import { hasCode, ownerOnly } from './files.ts'
import { checkName } from './session-name.ts'

/**
 * Owns `storage/charges`: which sessions of tasks spend from the budget of which tree. An empty file for each, made before the
 * session is: whoever opens the budget again finds all that was spent from it.
 */
export function noteCharge(home: Home, { id, limits, parent }: SessionSpec): void {
  const { charged } = limits
  if (charged === undefined || parent !== undefined) return
  checkName(charged.root)
  home.folder('storage', 'charges', charged.root)
  writeFileSync(home.at('storage', 'charges', charged.root, id), '', { mode: ownerOnly })
}

export function chargedTo(home: Home, root: string): readonly string[] {
  checkName(root)
  try {
    return readdirSync(home.at('storage', 'charges', root)).toSorted()
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
}
