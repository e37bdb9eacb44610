import { type Allowlist, createAllowlist, type Entry } from './allowlist.ts'
import { readPattern } from './pattern.ts'

/**
 * Commands that only look, for every home. Options of theirs that write or run something are guarded apart: see
 * `guards.ts`. A constant, not a file: it is needed for the first command of every run, and is read by the same code.
 */
export const defaultPatterns: { readonly [pattern: string]: 'allow' | 'ask' | 'deny' } = {
  ...allow(
    'ls, cat, head, tail, wc, pwd, echo, printf, true, false, :, test, [, cd, date, whoami, id, uname, groups, nproc, uptime, arch, df, du, free, ps, sleep, seq, expr, basename, dirname, realpath, readlink, stat, file, tree, hostname',
    'grep, egrep, fgrep, rg, find, fd, fdfind, cut, tr, sort, uniq, comm, paste, join, column, nl, fold, fmt, expand, unexpand, rev, tac, od, hexdump, xxd, strings, diff, cmp, jq, sed, awk, gawk, mawk, base64, cksum, md5sum, sha1sum, sha256sum, sha512sum, b2sum, shasum, which, whereis, type, command -v, command -V, read, set -e, set -u, set -x, set -eu, set -ex, set -eux, set -euo, set -eo, set -euxo, set -o, wait, exit, break, continue, return, shift',
    'git status, git log, git diff, git show, git blame, git annotate, git describe, git shortlog, git rev-parse, git rev-list, git ls-files, git ls-tree, git cat-file, git merge-base, git name-rev, git show-ref, git for-each-ref, git diff-tree, git diff-index, git diff-files, git count-objects, git check-ignore, git check-attr, git grep, git whatchanged, git cherry, git range-diff, git --version, git version',
    'git branch --show-current, git branch --list, git branch -a, git branch -r, git branch --all, git branch --remotes, git branch --contains, git branch --merged, git branch --no-merged, git tag --list, git tag -l, git tag --contains, git remote get-url, git stash list, git stash show, git reflog show, git config --get, git config --get-all, git config --list, git config -l, git worktree list, git submodule status, git notes list, git notes show',
    'docker ps, docker images, docker version, docker info, docker compose ps, npm ls, npm list, pip list, pip freeze, pip show, pip3 list, pip3 freeze, pip3 show',
  ),
  '/^(node|npm|npx|pnpm|yarn|python|python3|pip|pip3|ruby|cargo|rustc|java|tsc|make|gcc|docker|git) (--version|-v|-V|-version)$/':
    'allow',
  '/^(bash|bun|cc|clang|cmake|curl|deno|dotnet|eslint|g\\+\\+|gh|jest|jq|perl|php|poetry|prettier|psql|rg|uv|vitest|wget) --version$/':
    'allow',
  'go version': 'allow',
  // Alone they list; with a name they make something.
  '/^git branch( -[arv]{1,4}| --verbose)?( -[arv]{1,4})?( --sort=[\\w:-]+)?( --no-color)?$/': 'allow',
  '/^git (remote( -v| --verbose| show)?|reflog( -n \\d{1,4}| -\\d{1,4})?|notes|worktree)$/': 'allow',
  '/^git tag( -n\\d{0,3})?( --sort=[\\w:-]+)?$/': 'allow',
  '/^git config [A-Za-z]\\w*[.][\\w.-]+$/': 'allow',
}

/** The shipped list, without the patterns that somebody has unset. */
export function defaultAllowlist(unset: readonly string[] = []): Allowlist {
  whole ??= createAllowlist(readEntries())
  if (unset.length === 0) return whole
  return createAllowlist(readEntries().filter(({ text }) => !unset.includes(text)))
}

/** Made for the first command, and kept: it never changes. */
let whole: Allowlist | undefined

function readEntries(): readonly Entry[] {
  return Object.entries(defaultPatterns).map(([text, decision]) => {
    const pattern = readPattern({ text, decision, matchCommandLine: false })
    if ('fault' in pattern)
      throw new Error(`unreachable: the shipped pattern ${text} is wrong: ${pattern.fault}`)
    return { text, decision, pattern }
  })
}

function allow(...groups: readonly string[]): { readonly [pattern: string]: 'allow' } {
  return Object.fromEntries(
    groups.flatMap((group) => group.split(', ')).map((pattern) => [pattern, 'allow' as const]),
  )
}
