import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

// The settings that `git init`, `git clone` and `git submodule` write. Any other may name a program that git starts, even
// for a shell prompt that shows the status.
const plainKeys = [
  /^core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol)$/,
  /^remote\..*\.(url|fetch|tagopt|promisor|partialclonefilter)$/,
  /^branch\..*\.(remote|merge|rebase)$/,
  /^submodule\..*\.(url|active)$/,
  /^(user\.(name|email)|init\.defaultbranch|extensions\.(objectformat|refstorage|partialclone))$/,
]

/**
 * True if a repository that a command created starts nothing when used: no hooks, and no settings that name a program.
 * `known` are repositories that a worktree may point to.
 */
export function isHarmlessRepository(entry: string, known: readonly string[]): boolean {
  try {
    if (lstatSync(entry).isDirectory()) return isHarmlessFolder(entry)
    const target = /^gitdir: (.+?)\s*$/.exec(readFileSync(entry, 'utf8'))?.[1]
    if (target === undefined) return false
    const own = path.resolve(path.dirname(entry), target)
    return known.some((folder) => own.startsWith(`${folder}${path.sep}`))
  } catch {
    return false
  }
}

function isHarmlessFolder(folder: string): boolean {
  const names = readdirSync(folder)
  if (names.includes('config.worktree') || names.includes('commondir') || names.includes('modules'))
    return false
  const hooks = names.includes('hooks') ? readdirSync(path.join(folder, 'hooks')) : []
  if (hooks.some((name) => !name.endsWith('.sample'))) return false
  return !names.includes('config') || isPlainConfig(readFileSync(path.join(folder, 'config'), 'utf8'))
}

/** Parses line by line and strictly: a line that is not recognised could mean anything. */
function isPlainConfig(text: string): boolean {
  let section = ''
  return text.split(/\r?\n/).every((line) => {
    if (/^\s*(?:[#;].*)?$/.test(line)) return true
    const header = /^\s*\[([\w.-]+)(?:\s+"([^"\\]*)")?\]\s*$/.exec(line)
    if (header !== null) {
      section = [header[1]?.toLowerCase(), header[2]].filter((part) => part !== undefined).join('.')
      return true
    }
    const setting = /^\s*([\w-]+)(?:\s*=\s*([^\\]*))?$/.exec(line)
    if (setting === null) return false
    const key = `${section}.${setting[1]?.toLowerCase()}`
    return plainKeys.some((plain) => plain.test(key)) && !/^ext::/i.test(setting[2] ?? '')
  })
}
