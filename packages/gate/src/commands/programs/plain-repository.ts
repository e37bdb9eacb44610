import { readFileSync } from 'node:fs'
import path from 'node:path'
import { stampOf } from '@cadre/disk'
import { followLinks } from '../../paths/follow-links.ts'
import { realPathAt, statsAt } from '../../paths/with-lookup-cache.ts'

/**
 * Settings that start nothing for read-only git commands: those that Cadre overrides (hooks, the file system monitor,
 * pagers), those that matter only for a remote, and display settings.
 */
const plainKeys = [
  /^core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|hookspath|fsmonitor|pager|editor|whitespace|quotepath|abbrev|untrackedcache|splitindex|preloadindex|fscache|longpaths|protecthfs|protectntfs|sharedrepository|trustctime|checkstat|sparsecheckout|sparsecheckoutcone|commitgraph|multipackindex|excludesfile|commentchar|compression|deltabasecachelimit)$/,
  /^remote\..*\.(?:url|pushurl|fetch|push|tagopt|promisor|partialclonefilter|prune|prunetags|mirror|skipdefaultupdate|skipfetchall|gh-resolved)$/,
  /^branch\.(?:sort|autosetupmerge|autosetuprebase)$|^branch\..*\.(?:remote|pushremote|merge|rebase|description|[\w-]*merge-base|github-pr-[\w-]+)$/,
  /^submodule\.(?:recurse|active|fetchjobs)$|^submodule\..*\.(?:url|active|branch|ignore|fetchrecursesubmodules|shallow)$/,
  /^(?:user|author|committer)\.(?:name|email|signingkey)$/,
  /^extensions\.(?:objectformat|refstorage|partialclone|worktreeconfig|noop)$/,
  /^(?:advice|color|column|pull|push|fetch|gc|index|pack|feature|maintenance|credential|http|url|receive|transfer|init|tag|rerere|lfs|gitflow|clean|worktree|checkout|add|apply|help|versionsort|i18n|stash|rebase)\..*$/,
  /^(?:merge\.(?:conflictstyle|ff|renames|stat)|log\.(?:date|decorate|abbrevcommit|follow|showsignature)|status\.(?:short|branch|showstash|showuntrackedfiles|submodulesummary|relativepaths|renames)|diff\.(?:renames|algorithm|context|colormoved|mnemonicprefix|noprefix|submodule|ignoresubmodules|interhunkcontext)|commit\.(?:gpgsign|verbose|cleanup))$/,
]
/** As `git lfs install` writes them. */
const plainFilters =
  /^filter\.lfs\.(?:required = ?(?:true)?|(?:clean|smudge) = "?git-lfs (?:clean|smudge)(?: --skip)? -- %f"?|process = "?git-lfs filter-process(?: --skip)?"?)$/

const known = new Map<string, { readonly stamp: string; readonly fault: string | undefined }>()

/**
 * Returns the setting of the repository around a folder that may make git start a program or read elsewhere, even for a
 * read-only command, or undefined if there is none. A repository that was copied rather than cloned can contain any
 * setting.
 */
export function findUnsafeGitSetting(folder: string): string | undefined {
  for (const file of configFiles(folder)) {
    const stats = statsAt(file)
    if (stats === undefined) continue
    const stamp = stampOf(stats).is
    let found = known.get(file)
    if (found?.stamp !== stamp) {
      if (known.size > 200) known.clear()
      found = { stamp, fault: faultIn(file) }
      known.set(file, found)
    }
    if (found.fault !== undefined) return found.fault
  }
  return undefined
}

function configFiles(folder: string): readonly string[] {
  const real = realPathAt(folder) ?? resolveFolder(folder)
  for (let at = real; at !== undefined; at = at === path.dirname(at) ? undefined : path.dirname(at)) {
    const entry = at === path.sep ? '/.git' : `${at}/.git`
    const stats = statsAt(entry)
    if (stats !== undefined) {
      const own = stats.isDirectory()
        ? entry
        : path.resolve(at, targetOf(entry, /^gitdir: (.+?)\s*$/) ?? '.git')
      const common = path.resolve(own, targetOf(path.join(own, 'commondir'), /^(.+?)\s*$/) ?? '.')
      return [path.join(common, 'config'), path.join(own, 'config.worktree'), path.join(own, 'config')]
    }
  }
  return []
}

function resolveFolder(folder: string): string | undefined {
  const followed = followLinks(folder)
  return followed.kind === 'followed' ? followed.real : undefined
}

function targetOf(file: string, form: RegExp): string | undefined {
  return form.exec(textOf(file) ?? '')?.[1]
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** Parses line by line and strictly: a line that is not recognised could mean anything. */
function faultIn(file: string): string | undefined {
  const text = textOf(file)
  if (text === undefined) return `${file} cannot be read`
  let section = ''
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*(?:[#;].*)?$/.test(line)) continue
    const header = /^\s*\[([\w.-]+)(?:\s+"([^"\\]*)")?\]\s*$/.exec(line)
    if (header !== null) {
      section = [header[1]?.toLowerCase(), header[2]].filter((part) => part !== undefined).join('.')
      continue
    }
    const setting = /^\s*([A-Za-z][\w-]*)(?:\s*=\s*([^\\]*?))?\s*$/.exec(line)
    const key = `${section}.${setting?.[1]?.toLowerCase() ?? '?'}`
    const isPlain =
      plainKeys.some((plain) => plain.test(key)) || plainFilters.test(`${key} = ${setting?.[2] ?? ''}`)
    if (setting === null || !isPlain || /^"?ext::/i.test(setting[2] ?? '')) return key
  }
  return undefined
}
