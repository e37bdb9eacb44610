/**
 * Runs a plan: a command line that the gate has parsed and allowed, as data. No shell is involved, so only what the gate
 * has seen is expanded, split or evaluated. Cadre starts this script, inside the sandbox if there is one, with the plan as
 * JSON on standard input:
 *
 *    { list, cwd, roots, path, environment }
 *
 * `roots` are the real paths of the folders that patterns and `cd` may lead to; `path` is the search path for programs.
 * Requires only Node. Importing this file starts nothing: call `runFromInput`.
 */
import { execFileSync, spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const maxMatches = 20_000
/** Every pipe can buffer this many bytes without a reader. */
const smallestPipe = 4_096

export class Runner {
  constructor(job, scratch) {
    this.job = job
    this.scratch = scratch
    this.cwd = job.cwd
    this.environment = job.environment
    this.status = 0
  }

  /** Returns the exit code of the last step that ran. `fds` are its input and output. */
  async list(list, fds) {
    for (const { after, stages } of list) {
      if ((after === '&&' && this.status !== 0) || (after === '||' && this.status === 0)) continue
      this.status = await this.stages(stages, fds)
      if (this.hasExited) break
    }
    return this.status
  }

  async stages(stages, [input, output, errors]) {
    let words
    try {
      // Expanded before any stage starts, as in a shell.
      words = stages.map((stage) => (stage.kind === 'group' ? [] : this.wordsOf(stage)))
    } catch (error) {
      return say(errors, `cadre: ${error.message}\n`) || 1
    }
    const pipes = this.scratch.pipes(stages.length - 1)
    const isAlone = stages.length === 1
    const ends = stages.map((stage, at) => {
      const opened = [pipes[at - 1]?.read, pipes[at]?.write].filter((fd) => fd !== undefined)
      const fds = [pipes[at - 1]?.read ?? input, pipes[at]?.write ?? output, errors]
      const close = () => {
        for (const fd of opened) fs.closeSync(fd)
      }
      if (!this.redirect(stage.redirects, fds, opened)) {
        close()
        return 1
      }
      if (stage.kind === 'group') return this.group(stage, fds).finally(close)
      const end = this.command(stage, words[at], fds, isAlone)
      close()
      return end
    })
    return (await Promise.all(ends)).at(-1)
  }

  /** A `cd` or an `export` in a group has no effect after it. */
  group({ list }, fds) {
    const inner = new Runner({ ...this.job, cwd: this.cwd, environment: this.environment }, this.scratch)
    inner.status = this.status
    return inner.list(list, fds)
  }

  wordsOf({ words }) {
    return words.flatMap((word) => {
      if (word.glob !== undefined) return this.matches(word)
      let text = ''
      let from = 0
      for (const at of word.status ?? []) {
        text += word.text.slice(from, at) + this.status
        from = at
      }
      return [text + word.text.slice(from)]
    })
  }

  /** Opens redirects in order; each sees the effect of the earlier ones. Returns false if one cannot be opened. */
  redirect(redirects, fds, opened) {
    for (const one of redirects) {
      if (one.kind === 'copy') {
        fds[one.fd] = fds[one.from]
        continue
      }
      try {
        const fd =
          one.kind === 'text'
            ? this.scratch.text(one.text)
            : fs.openSync(this.at(one.path), flags[one.kind], 0o666)
        opened.push(fd)
        fds[one.fd] = fd
      } catch (error) {
        say(fds[2], `cadre: ${one.path}: ${reasonOf(error)}\n`)
        return false
      }
    }
    return true
  }

  at(name) {
    return path.isAbsolute(name) ? name : `${this.cwd}/${name}`
  }

  /** Returns an exit code, or a promise of one. */
  command({ variables }, [name, ...args], fds, isAlone) {
    if (name === undefined || name === 'true' || name === ':') return 0
    if (name === 'false') return 1
    if (name === 'exit') {
      // In a pipe, `exit` ends only its own stage.
      this.hasExited = isAlone
      return args.length === 0 ? this.status : Number(args[0]) & 255
    }
    if (name === 'cd') return this.changeFolder(args[0], fds[2], isAlone)
    if (name === 'pwd' && args.length === 0) return say(fds[1], `${this.cwd}\n`)
    if (name === 'export') {
      const [variable, ...value] = args[0].split('=')
      if (isAlone) this.environment = { ...this.environment, [variable]: value.join('=') }
      return 0
    }
    if (name === 'command') {
      const found = own.has(args[1]) ? args[1] : this.programOf(args[1]).file
      return found === undefined ? 1 : say(fds[1], `${found}\n`)
    }
    if (name === 'echo') {
      const text = echoText(args)
      if (text !== undefined && text.length < 16_000) return say(fds[1], text)
    }
    const program = this.programOf(name)
    if (program.file === undefined) {
      say(fds[2], `cadre: ${name}: ${program.why}\n`)
      return program.code
    }
    const env = { ...this.environment, ...variables, PWD: this.cwd }
    return new Promise((resolve) => {
      const fail = (error) => {
        say(fds[2] === 1 || fds[2] === 2 ? fds[2] : 2, `cadre: ${name}: ${reasonOf(error)}\n`)
        resolve(error.code === 'ENOENT' ? 127 : 126)
      }
      try {
        const child = spawn(program.file, args, { argv0: name, cwd: this.cwd, env, stdio: [...fds] })
        child.on('error', fail)
        child.on('exit', (code, signal) => resolve(code ?? 128 + (os.constants.signals[signal] ?? 0)))
      } catch (error) {
        fail(error)
      }
    })
  }

  changeFolder(name, errors, isAlone) {
    const target = this.at(name)
    try {
      if (!fs.statSync(target).isDirectory()) throw new Error('Not a directory')
      const real = fs.realpathSync.native(target)
      const logical = path.resolve(this.cwd, name)
      // A shell would resolve `..` by name, but the system follows links.
      if (fs.realpathSync.native(logical) !== real) throw new Error('it goes through a symbolic link')
      if (!this.isInside(real)) throw new Error('it is outside the workspace')
      if (isAlone) this.cwd = logical
      return 0
    } catch (error) {
      say(errors, `cadre: cd: ${name}: ${reasonOf(error)}\n`)
      return 1
    }
  }

  isInside(real) {
    return this.job.roots.some((root) => real === root || real.startsWith(root === '/' ? '/' : `${root}/`))
  }

  programOf(name) {
    const files = name.includes('/')
      ? [this.at(name)]
      : this.job.path.map((folder) => path.join(folder, name))
    for (const file of files) {
      try {
        if (!fs.statSync(file).isFile()) continue
        fs.accessSync(file, fs.constants.X_OK)
      } catch {
        continue
      }
      // The system would run a file without `#!` in a shell.
      return isRunnable(file) ? { file } : { code: 126, why: 'it does not start with #!' }
    }
    return { code: 127, why: name.includes('/') ? 'No such file or directory' : 'command not found' }
  }

  /** Returns the matching files in name order, or the word itself if none match. */
  matches({ text, glob }) {
    const names = splitAtSlashes(glob)
    let found = [text.startsWith('/') ? '/' : '']
    for (const [at, parts] of names.entries()) {
      found = found.flatMap((before) => this.step(before, parts, at === names.length - 1))
      if (found.length > maxMatches) throw new Error(`${text} matches too many files`)
    }
    if (found.length === 0 || (found.length === 1 && found[0] === '')) return [text]
    for (const one of found) this.requireInside(one)
    const sorted = found.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    // The prefix keeps a file name from being read as an option, a response file (`strings @x`) or a command (`vim +x`).
    return sorted.map((one) => (/^[-@+]/.test(one) ? `./${one}` : one))
  }

  step(before, parts, isLast) {
    const folder = this.at(before === '' ? '.' : before)
    const isLiteral = parts.every(({ kind }) => kind === 'text')
    const names = isLiteral ? [parts[0]?.text ?? ''] : this.names(before, folder, parts)
    return names.flatMap((name) => {
      const whole = `${folder}/${name}`
      try {
        if (isLast && name !== '') fs.lstatSync(whole)
        else if (!fs.statSync(whole).isDirectory()) return []
      } catch {
        return []
      }
      return [isLast ? before + name : `${before}${name}/`]
    })
  }

  names(before, folder, parts) {
    // Patterns must not reveal whether a name exists outside the roots.
    if (before !== '' && fs.existsSync(folder)) this.requireInside(before)
    const startsWithDot = parts[0].kind === 'text' && parts[0].text.startsWith('.')
    const fits = fitting(parts)
    try {
      return fs.readdirSync(folder).filter((name) => (startsWithDot || !name.startsWith('.')) && fits(name))
    } catch {
      return []
    }
  }

  requireInside(name) {
    const whole = this.at(name)
    let real
    try {
      real = fs.realpathSync.native(whole)
    } catch {
      // For a dangling link, check the path that it would create.
      real = path.resolve(fs.realpathSync.native(path.dirname(whole)), fs.readlinkSync(whole))
    }
    if (!this.isInside(real)) throw new Error(`${name} is outside the workspace`)
  }
}

const own = new Set(['cd', 'pwd', 'echo', 'true', 'false', ':', 'export', 'command', 'exit'])
const flags = { read: 'r', write: 'w', append: 'a' }

/** Anonymous files and pipes: they have no name that another process could open. */
export class Scratch {
  count = 0

  get folder() {
    this.made ??= fs.mkdtempSync(path.join(os.tmpdir(), 'cadre-plan-'))
    return this.made
  }

  /** Real pipes. Node's own pipes are sockets, which programs cannot open by name. */
  pipes(count) {
    if (count <= 0) return []
    const names = Array.from({ length: count }, () => path.join(this.folder, `pipe${this.count++}`))
    const mkfifo = ['/usr/bin/mkfifo', '/bin/mkfifo'].find((file) => fs.existsSync(file)) ?? 'mkfifo'
    execFileSync(mkfifo, ['-m', '600', ...names])
    return names.map((name) => {
      // Opened for reading and writing first, so that opening either end does not block.
      const both = fs.openSync(name, fs.constants.O_RDWR)
      const read = fs.openSync(name, fs.constants.O_RDONLY)
      const write = fs.openSync(name, fs.constants.O_WRONLY)
      fs.closeSync(both)
      fs.unlinkSync(name)
      return { read, write }
    })
  }

  /** A short text is buffered in a pipe, as in bash: some programs print less about a file. */
  text(text) {
    if (text === '') return fs.openSync('/dev/null', 'r')
    if (Buffer.byteLength(text) <= smallestPipe) {
      const [{ read, write }] = this.pipes(1)
      fs.writeSync(write, text)
      fs.closeSync(write)
      return read
    }
    const name = path.join(this.folder, `text${this.count++}`)
    fs.writeFileSync(name, text, { mode: 0o600 })
    const fd = fs.openSync(name, 'r')
    fs.unlinkSync(name)
    return fd
  }

  remove() {
    if (this.made !== undefined) fs.rmSync(this.made, { recursive: true, force: true })
  }
}

function say(fd, text) {
  try {
    for (let bytes = Buffer.from(text); bytes.length > 0; ) bytes = bytes.subarray(fs.writeSync(fd, bytes))
    return 0
  } catch (error) {
    return error.code === 'EPIPE' ? 141 : 1
  }
}

/** Returns the output of echo as in bash, or undefined for `-e`, which the external program handles. */
function echoText(args) {
  let at = 0
  let endsLine = true
  for (; at < args.length && /^-[neE]+$/.test(args[at]); at++) {
    if (args[at].includes('e')) return undefined
    if (args[at].includes('n')) endsLine = false
  }
  return args.slice(at).join(' ') + (endsLine ? '\n' : '')
}

function isRunnable(file) {
  const fd = fs.openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(4)
    fs.readSync(fd, bytes, 0, 4, 0)
    return (
      bytes.toString('latin1').startsWith('#!') ||
      /^(7f454c46|feedfac|c[ef]faedfe|cafebabe|4d5a)/.test(bytes.toString('hex'))
    )
  } finally {
    fs.closeSync(fd)
  }
}

function splitAtSlashes(glob) {
  const names = [[]]
  for (const part of glob) {
    const [first, ...others] = part.kind === 'text' ? part.text.split('/') : [undefined]
    if (first !== '') names.at(-1).push(first === undefined ? part : { kind: 'text', text: first })
    for (const text of others) names.push(text === '' ? [] : [{ kind: 'text', text }])
  }
  // `//` counts as one slash; a trailing slash requires a folder.
  return names.filter((parts, at) => parts.length > 0 || (at === names.length - 1 && at > 0))
}

/**
 * Returns a function that compares a name with a pattern. Text between two stars is searched once, from the left, so
 * typical patterns take linear time.
 */
function fitting(parts) {
  const sources = ['']
  for (const part of parts) {
    if (part.kind === 'any') sources.push('')
    else sources[sources.length - 1] += sourceOf(part)
  }
  const last = sources.length - 1
  const pieces = sources.map(
    (source, at) => new RegExp((at === 0 ? '^' : '') + source + (at === last ? '$' : ''), 'su'),
  )
  return (name) => {
    let rest = name
    return pieces.every((piece) => {
      const found = piece.exec(rest)
      if (found !== null) rest = rest.slice(found.index + found[0].length)
      return found !== null
    })
  }
}

function sourceOf({ kind, text, ranges, negated }) {
  if (kind === 'text') return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  if (kind === 'one') return '.'
  return `[${negated ? '^' : ''}${ranges.map(([from, to]) => `${from}-${to}`).join('')}]`
}

const reasons = {
  ENOENT: 'No such file or directory',
  EISDIR: 'Is a directory',
  ENOTDIR: 'Not a directory',
  EACCES: 'Permission denied',
  EROFS: 'Read-only file system',
  E2BIG: 'Argument list too long',
}

function reasonOf(error) {
  return reasons[error.code] ?? error.code ?? error.message
}

/**
 * Reads the plan. Cadre ends it with a newline and keeps its end of the pipe open. When the pipe closes, Cadre has died,
 * and everything that was started here is killed. Bubblewrap's `--die-with-parent` misses a death during the setup of the
 * sandbox.
 */
function readPlan() {
  return new Promise((resolve) => {
    let text = ''
    const input = process.stdin.setEncoding('utf8')
    const ended = () => (text.endsWith('\n') ? process.kill(0, 'SIGKILL') : resolve(text))
    input.on('end', ended)
    input.on('error', ended)
    input.on('data', (piece) => {
      text += piece
      if (!text.endsWith('\n')) return
      input.unref?.()
      resolve(text)
    })
  })
}

/** Reads the plan from standard input and sets the exit code of this process. */
export async function runFromInput() {
  const job = JSON.parse(await readPlan())
  const scratch = new Scratch()
  const nothing = fs.openSync('/dev/null', 'r')
  try {
    process.exitCode = await new Runner(job, scratch).list(job.list, [nothing, 1, 2])
  } finally {
    scratch.remove()
  }
}
