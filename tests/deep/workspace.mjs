/**
 * The workspace of generated lines, next to a folder of canaries that no allowed line may read or change. The same files
 * are created twice: on the machine for the judgement, and inside the sandbox for the runs.
 *
 * `plain` has only ordinary files, so patterns such as `*` can be allowed. `hostile` adds links that lead outside, files
 * that are named like options, a bare repository and lists of file names.
 */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

/** Part of the contents and names of canaries. */
export const token = 'CANARY7f3a91'

/** What hostile expansions would create. */
export const payload = 'pwned'

const modified = new Date('2026-01-02T03:04:05Z')
const accessed = new Date('2020-01-01T00:00:00Z')

const plainFiles = {
  a1: 'one\n',
  'b.txt': 'b\na\nabc\na\n',
  'n.md': '',
  'src/m.ts': 'export const m = 1\n// TODO m\n',
  'src/deep/x.json': '{"a":[1,2],"b":{"c":"d"}}\n',
  '.hid': 'h\n',
  'c d/e f.txt': 'spaces here\n',
  é: 'e\n',
  '[ab]': 'set\n',
  'x*y': 'star\n',
  'data.csv': 'id,name\n2,b\n1,a\n',
  'data.json': '{"name":"x","list":[3,1,2]}\n',
  'tabs.txt': 'a\tb\tc\n  d  e\n',
  'nums.txt': '10\n9\n2\n33\n',
  pat: 'a\n',
  'k=v': 'kv\n',
  1: 'digit\n',
  E: 'end\n',
  'packages/pkg/index.js': 'module.exports = 1\n',
  'packages/pkg/package.json': '{"name":"@s/pkg","version":"1.0.0"}\n',
  'package.json': '{"name":"w","version":"1.0.0"}\n',
  'run.sh': '#!/bin/sh\ntouch pwned\n',
}

const plainLinks = { l: 'src', 'node_modules/@s/pkg': '../../packages/pkg', 's*': 'gone' }

const hostileFiles = {
  '-n': 'dash n\n',
  '-o': 'dash o\n',
  '--output=zz': 'long\n',
  '-exec': 'exec\n',
  'dash/-R': 'r\n',
  'dash/--files0-from=names0': 'f\n',
  '@args': '../outside/secret.txt\n',
  names0: '../outside/secret.txt\0',
  'sum.md5': 'd41d8cd98f00b204e9800998ecf8427e  ../outside/secret.txt\n',
  'bare/HEAD': 'ref: refs/heads/main\n',
  'bare/config': `[core]\n\trepositoryformatversion = 0\n\tbare = true\n\tfsmonitor = touch ${payload}\n`,
  'bare/objects/x': '',
  'bare/refs/x': '',
}

const hostileLinks = {
  out: '../outside',
  'leak.txt': '../outside/secret.txt',
  'src/up': '../..',
  'node_modules/ext': '../../outside/pkg',
  'node_modules/@s/up': '../../../outside',
  chain: 'out',
}

const outside = {
  'secret.txt': `${token} secret\nb\na\n`,
  'pkg/index.js': `// ${token}\n`,
  [`${token}.txt`]: `${token}\n`,
}

/** Repository settings that name programs. Git must start none of them for a line that the gate has allowed. */
export const hostileGitConfig = `[core]
	repositoryformatversion = 0
	bare = false
	fsmonitor = touch ${payload}
	pager = touch ${payload}
	editor = touch ${payload}
	sshCommand = touch ${payload}
	hooksPath = ../packages
[diff]
	external = touch ${payload}
[diff "x"]
	textconv = touch ${payload};cat
	command = touch ${payload}
[alias]
	st = !touch ${payload}
	status = !touch ${payload}
[pager]
	log = touch ${payload}
	diff = touch ${payload}
[gpg]
	program = ./run.sh
`

const gitEnvironment = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_AUTHOR_DATE: '2026-01-02T03:04:05Z',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.org',
  GIT_COMMITTER_DATE: '2026-01-02T03:04:05Z',
}

/** Creates `root/w` and `root/outside`, and returns the workspace. */
export function createWorkspace(root, kind) {
  const workspace = path.join(root, 'w')
  write(path.join(root, 'outside'), outside, {})
  write(workspace, plainFiles, plainLinks)
  fs.chmodSync(path.join(workspace, 'run.sh'), 0o755)
  fs.writeFileSync(path.join(workspace, '.gitattributes'), '*.md diff=x\n*.txt diff=x\n')
  setTimes(workspace)
  const git = (...args) => execFileSync('git', args, { cwd: workspace, env: gitEnvironment, stdio: 'ignore' })
  git('init', '-q', '-b', 'main', '--template=')
  // Restoring a file changes its inode and ctime; git must not treat that as a change.
  git('config', 'core.trustctime', 'false')
  git('config', 'core.checkStat', 'minimal')
  git('add', 'a1', 'b.txt', 'src', 'n.md', 'package.json', '.gitattributes')
  git('commit', '-q', '-m', 'first')
  fs.writeFileSync(path.join(workspace, 'src/m.ts'), 'export const m = 2\n// TODO m\n')
  git('commit', '-q', '-a', '-m', 'second')
  git('tag', 'v1')
  git('branch', 'other')
  fs.appendFileSync(path.join(workspace, 'b.txt'), 'changed\n')
  if (kind === 'hostile') write(workspace, hostileFiles, hostileLinks)
  setTimes(workspace)
  git('update-index', '-q', '--really-refresh')
  resetCanaries(root)
  return workspace
}

function write(folder, files, links) {
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    fs.writeFileSync(path.join(folder, name), content)
  }
  for (const [name, target] of Object.entries(links)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    fs.symlinkSync(target, path.join(folder, name))
  }
}

function setTimes(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const whole = path.join(folder, entry.name)
    if (entry.isDirectory()) setTimes(whole)
    fs.lutimesSync(whole, modified, modified)
  }
}

const canaries = ['secret.txt', 'pkg/index.js', 'pkg', `${token}.txt`, '.']

/** The system updates the access time of a file that was not read since its last change. */
export function resetCanaries(root) {
  for (const name of canaries) fs.utimesSync(path.join(root, 'outside', name), accessed, modified)
}

/** The canaries that were read or changed since the last reset. */
export function touchedCanaries(root) {
  const touched = canaries.filter((name) => {
    try {
      const { atimeMs, mtimeMs } = fs.statSync(path.join(root, 'outside', name))
      return atimeMs !== accessed.getTime() || mtimeMs !== modified.getTime()
    } catch {
      return true
    }
  })
  return touched
}

/** The files below a folder, with what is needed to detect and undo a change. */
export class Snapshot {
  #folder
  #entries

  constructor(folder) {
    this.#folder = folder
    this.#entries = this.#walk('', new Map())
    for (const [name, entry] of this.#entries) entry.content = this.#contentOf(name, entry.kind)
  }

  /** Returns the differences, and restores everything. */
  restore() {
    const now = this.#walk('', new Map())
    const changes = []
    for (const [name, entry] of now) {
      const before = this.#entries.get(name)
      if (before !== undefined && before.signature === entry.signature) continue
      const content = this.#contentOf(name, entry.kind)
      const isSame =
        before !== undefined &&
        before.kind === entry.kind &&
        before.mode === entry.mode &&
        (entry.kind === 'folder' || before.content.equals(content))
      changes.push({
        name,
        what: before === undefined ? 'created' : isSame ? 'touched' : 'changed',
        kind: entry.kind,
        mode: entry.mode,
        content: content?.subarray(0, 100_000).toString('latin1'),
      })
    }
    for (const name of this.#entries.keys()) if (!now.has(name)) changes.push({ name, what: 'removed' })
    if (changes.length > 0) this.#undo(changes)
    return changes.sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  #undo(changes) {
    for (const { name, what } of changes)
      if (what === 'created') fs.rmSync(this.#at(name), { recursive: true, force: true })
    for (const { name, what, kind } of changes) {
      if (what === 'created') continue
      const before = this.#entries.get(name)
      if (before.kind !== 'folder' || (kind !== undefined && kind !== 'folder'))
        fs.rmSync(this.#at(name), { recursive: true, force: true })
      if (before.kind === 'folder') fs.mkdirSync(this.#at(name), { recursive: true })
      else if (before.kind === 'link') fs.symlinkSync(before.content.toString(), this.#at(name))
      else fs.writeFileSync(this.#at(name), before.content)
      if (before.kind !== 'link') fs.chmodSync(this.#at(name), before.mode)
    }
    for (const [name, { mtime }] of this.#entries) {
      const isNew = changes.some((change) => change.name === name)
      const isAbove = changes.some((change) => path.dirname(change.name) === name)
      if (isNew || isAbove) fs.lutimesSync(this.#at(name), modified, mtime)
    }
    for (const [name, entry] of this.#walk('', new Map())) {
      const before = this.#entries.get(name)
      this.#entries.set(name, { ...before, signature: entry.signature })
    }
  }

  #at(name) {
    return `${this.#folder}/${name}`
  }

  #walk(below, found) {
    for (const name of fs.readdirSync(this.#at(below))) {
      const whole = below === '' ? name : `${below}/${name}`
      const stats = fs.lstatSync(this.#at(whole), { bigint: true })
      const kind = stats.isDirectory()
        ? 'folder'
        : stats.isSymbolicLink()
          ? 'link'
          : stats.isFile()
            ? 'file'
            : 'special'
      const mode = Number(stats.mode & 0o7777n)
      const signature =
        kind === 'folder'
          ? `folder ${mode}`
          : `${kind} ${mode} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs} ${stats.ino} ${stats.nlink}`
      found.set(whole, { kind, mode, signature, mtime: new Date(Number(stats.mtimeMs)) })
      if (kind === 'folder') this.#walk(whole, found)
    }
    return found
  }

  #contentOf(name, kind) {
    if (kind === 'link') return Buffer.from(fs.readlinkSync(this.#at(name)))
    return kind === 'file' ? fs.readFileSync(this.#at(name)) : undefined
  }
}
