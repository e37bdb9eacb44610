import { realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { isInside } from '@cadre/disk'
import { fingerprintModule, type TrustItem } from '@cadre/home'

const maxScripts = 100

/**
 * Returns the project files that a command names: trusting the command includes their current content. For a package
 * manager, that is `package.json`.
 */
export function scriptsNamedIn(words: readonly string[], project: string): TrustItem[] {
  const found = new Map<string, string>()
  const [program = ''] = words
  const names = /^(npm|npx|pnpm|yarn|bun)$/.test(path.basename(program)) ? [...words, 'package.json'] : words
  for (const word of names) {
    if (found.size >= maxScripts || word === '' || word.includes('\0')) continue
    const file = path.resolve(project, word)
    if (!isFileOf(project, file)) continue
    const sha256 = fingerprintModule(file)
    // An unreadable file cannot be trusted.
    found.set(file, sha256 ?? 'unreadable')
  }
  return [...found].map(([file, sha256]) => ({ path: file, sha256 }))
}

function isFileOf(project: string, file: string): boolean {
  try {
    return isInside(realpathSync(project), realpathSync(file)) && statSync(file).isFile()
  } catch {
    return false
  }
}
