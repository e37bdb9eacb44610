import { hash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { deflateSync } from 'node:zlib'
import { CadreError } from '@cadre/core'
import { type GitRequest, git, gitBytes, ownerOnly, type Repository, tryGit } from '@cadre/disk'

/** Up to this many files are stored without starting git. */
const maxWithoutGit = 32
/** The maximum bytes read from the store at a time. */
const maxBatchBytes = 32 << 20

export interface Content {
  readonly object: string
  readonly size: number
}

/**
 * Stores file contents as objects of a separate git repository in the home. It borrows objects of the project's repository,
 * so that the first checkpoint copies nothing that is committed. No settings, attributes, filters or hooks in the project
 * apply: contents are stored and read byte for byte.
 */
export class ObjectStore {
  readonly gitDir: string
  readonly #top: string
  #algorithm: string | undefined

  constructor(gitDir: string, top: string) {
    this.gitDir = gitDir
    this.#top = top
  }

  get isSha256(): boolean {
    return this.#algorithm === 'sha256'
  }

  /** Creates the store if it does not exist. */
  async open(repository: Repository | undefined): Promise<void> {
    if (this.#algorithm !== undefined) return
    const marker = path.join(this.gitDir, 'object-format')
    if (!existsSync(marker)) {
      rmSync(this.gitDir, { recursive: true, force: true })
      const format = await formatOf(repository)
      mkdirSync(this.gitDir, { recursive: true, mode: 0o700 })
      const options = ['--bare', '--template=', '--shared=0600', `--object-format=${format}`]
      await git(['init', '-q', ...options, this.gitDir], { cwd: this.#top })
      // A complete list, at the highest precedence: no file in the project can enable conversions.
      const info = path.join(this.gitDir, 'info')
      mkdirSync(info, { recursive: true, mode: 0o700 })
      const write = (place: string, text: string) => writeFileSync(place, text, { mode: ownerOnly })
      write(path.join(info, 'attributes'), '* -text -eol -crlf -filter -ident -working-tree-encoding\n')
      if (repository !== undefined)
        write(
          path.join(this.gitDir, 'objects', 'info', 'alternates'),
          `${path.join(repository.commonDir, 'objects')}\n`,
        )
      for (const name of ['HEAD', 'config']) chmodSync(path.join(this.gitDir, name), ownerOnly)
      write(marker, format)
    }
    this.#algorithm = readFileSync(marker, 'utf8').trim()
  }

  /** Stores the content of these regular files, in this order. Rejects if one cannot be read. */
  async put(names: readonly string[]): Promise<readonly string[]> {
    if (names.length <= maxWithoutGit)
      return names.map((name) => this.write(readFileSync(path.join(this.#top, name))))
    const input = names.map((name) => `${quoteName(name)}\n`).join('')
    const args = ['hash-object', '-w', '--no-filters', '--stdin-paths']
    const ids = await git(args, { ...this.#request, workTree: this.#top, input, timeoutMs: 1_800_000 })
    return ids.trimEnd().split('\n')
  }

  write(content: Buffer): string {
    const whole = Buffer.concat([Buffer.from(`blob ${content.length}\0`), content])
    const object = hash(this.#algorithm ?? 'sha1', whole, 'hex')
    const file = this.#fileOf(object)
    if (existsSync(file)) return object
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    const draft = `${file}.${process.pid}.tmp`
    writeFileSync(draft, deflateSync(whole, { level: 1 }), { mode: ownerOnly })
    renameSync(draft, file)
    return object
  }

  /**
   * Copies borrowed objects, so that they remain when the project's repository removes them. Returns those that are already
   * lost.
   */
  async keep(contents: readonly Content[]): Promise<ReadonlySet<string>> {
    const lost = new Set(contents.map(({ object }) => object))
    const borrowed: Content[] = []
    for (const content of contents) {
      if (existsSync(this.#fileOf(content.object))) lost.delete(content.object)
      else borrowed.push(content)
    }
    for await (const [object, content] of this.read(borrowed)) {
      this.write(content)
      lost.delete(object)
    }
    return lost
  }

  /** Reads each content once, a limited amount at a time. Skips missing ones. */
  async *read(contents: readonly Content[]): AsyncGenerator<readonly [object: string, content: Buffer]> {
    const wanted = [...new Map(contents.map((content) => [content.object, content])).values()]
    for (let start = 0; start < wanted.length; ) {
      let [end, bytes] = [start, 0]
      while (end < wanted.length && (end === start || bytes + (wanted[end]?.size ?? 0) <= maxBatchBytes))
        bytes += wanted[end++]?.size ?? 0
      const input = wanted.slice(start, end).map(({ object }) => `${object}\n`)
      yield* contentsIn(
        await gitBytes(['cat-file', '--batch'], {
          ...this.#request,
          input: input.join(''),
          max: bytes + (end - start) * 200 + 1000,
        }),
      )
      start = end
    }
  }

  /** Counts added and removed lines for each pair of contents; undefined for binary ones. */
  async countLines(
    pairs: readonly (readonly [before: string | undefined, after: string | undefined])[],
  ): Promise<readonly (LineCounts | undefined)[]> {
    if (pairs.length === 0) return []
    const empty = this.write(Buffer.alloc(0))
    const side = async (pick: 0 | 1) => {
      const input = pairs
        .map((pair, index) => `100644 blob ${pair[pick] ?? empty}\t${String(index).padStart(9, '0')}\n`)
        .join('')
      return (await git(['mktree'], { ...this.#request, input })).trim()
    }
    const args = ['diff-tree', '-r', '--numstat', '--no-renames', '--no-ext-diff', '--no-textconv']
    const listed = await git([...args, await side(0), await side(1)], this.#request)
    const counts: (LineCounts | undefined)[] = pairs.map(() => ({ added: 0, removed: 0 }))
    for (const line of listed.split('\n')) {
      const [added = '', removed = '', name] = line.split('\t')
      if (name === undefined) continue
      counts[Number(name)] = added === '-' ? undefined : { added: Number(added), removed: Number(removed) }
    }
    return counts
  }

  /** Files and folders that git ignores, without the contents of ignored folders. Folders end in `/`. */
  async ignored(excludes: readonly string[]): Promise<readonly string[]> {
    const from = excludes.filter((file) => existsSync(file)).map((file) => `--exclude-from=${file}`)
    const args = ['ls-files', '-z', '-o', '-i', '--directory', '--exclude-standard', ...from]
    const listed = await git(args, { ...this.#request, workTree: this.#top })
    return listed.split('\0').filter((name) => name !== '')
  }

  /** Removes unneeded objects, except very recent ones. */
  sweep(needed: ReadonlySet<string>, before: number): void {
    const objects = path.join(this.gitDir, 'objects')
    for (const start of readdirSync(objects)) {
      if (!/^[0-9a-f]{2}$/.test(start)) continue
      for (const rest of readdirSync(path.join(objects, start))) {
        const file = path.join(objects, start, rest)
        const stats = statSync(file, { throwIfNoEntry: false })
        if (!needed.has(start + rest) && stats !== undefined && stats.mtimeMs < before)
          rmSync(file, { force: true })
      }
    }
  }

  get #request(): GitRequest {
    return { cwd: this.#top, gitDir: this.gitDir }
  }

  #fileOf(object: string): string {
    return path.join(this.gitDir, 'objects', object.slice(0, 2), object.slice(2))
  }
}

export interface LineCounts {
  readonly added: number
  readonly removed: number
}

async function formatOf(repository: Repository | undefined): Promise<string> {
  if (repository === undefined) return 'sha1'
  const { commonDir: gitDir, top: cwd } = repository
  const { code, stdout } = await tryGit(['rev-parse', '--show-object-format'], { cwd, gitDir })
  return code === 0 && stdout.trim() === 'sha256' ? 'sha256' : 'sha1'
}

/** Quotes a name for git's input, if it could be misread. */
function quoteName(name: string): string {
  if (!/^"|\n/.test(name)) return name
  return `"${name.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`
}

/** `<id> blob <size>`, a line break, the content and a line break; or `<id> missing`. */
function* contentsIn(output: Buffer): Generator<readonly [string, Buffer]> {
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(0x0a, at)
    const [object = '', type, size] = output.toString('latin1', at, end).split(' ')
    at = end + 1
    if (type === 'missing') continue
    if (type !== 'blob') throw new CadreError('corrupt', `object ${object} of a checkpoint is not a file`)
    const length = Number(size)
    yield [object, output.subarray(at, at + length)]
    at += length + 1
  }
}
