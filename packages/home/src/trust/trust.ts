import { chmodSync, realpathSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CadreError, sentenceOf } from '@cadre/core'
import { type Located, makeFolder, readYaml } from '@cadre/disk'
import { fingerprintModule } from './fingerprint-module.ts'
import { readUserRecord } from './read-user-record.ts'
import { rememberOwnWrite } from './unsandboxed-command.ts'

/** An item to trust: a file, or one setting of a file, with exactly this content. */
export interface TrustItem {
  readonly path: string
  readonly sha256: string
}

export interface TrustOptions {
  /** `~/.config/cadre/trust.yaml`, outside all repositories. */
  readonly file: string
  /** For this command only: `--trust`, or `CADRE_TRUST=1`. */
  readonly everything?: boolean
  /** Trusted for this command only, in addition to the file. */
  readonly also?: readonly TrustItem[] | undefined
}

/** The items that a person trusts. Bound to content: after a change, an item is no longer trusted. */
export interface Trust {
  trusts(item: TrustItem): boolean
  /**
   * Returns whether a module and the local files it imports are trusted. The user's own modules, in the folder of this record, need no
   * trust.
   */
  trustsModule(module: string): boolean
  /** Trusts these items permanently. */
  add(items: readonly TrustItem[]): void
  addModule(module: string): void
  remove(path: string): void
  /** Returns whether a person declined the current content of an item, so that they are not asked again. */
  declines(item: TrustItem): boolean
  decline(item: TrustItem): void
}

/** The stored answers. */
interface Answers {
  readonly trusted: readonly TrustItem[]
  readonly declined: readonly TrustItem[]
}

/** The file is read on first use. */
export function createTrust({ file, everything = false, also = [] }: TrustOptions): Trust {
  let known: Answers | undefined
  const all = () => {
    known ??= readTrust(file)
    return known
  }
  const change = (make: (answers: Answers) => Answers) => {
    // Read again: another process may have added to it since.
    const answers = make(readTrust(file))
    writeTrust(file, answers)
    known = answers
  }
  const trust: Trust = {
    trusts: (item) => everything || includesItem(also, item) || includesItem(all().trusted, item),
    trustsModule: (module) => {
      // Anyone who can create a file beside this record can also write the record.
      if (everything || isBeside(module, file)) return true
      const sha256 = fingerprintModule(module)
      return sha256 !== undefined && trust.trusts({ path: module, sha256 })
    },
    add: (items) =>
      change(({ trusted, declined }) => ({ trusted: [...withoutItems(trusted, items), ...items], declined })),
    addModule(module) {
      const sha256 = fingerprintModule(module)
      if (sha256 === undefined)
        throw new CadreError('not_found', 'cannot read this module, so Cadre does not trust it.', {
          where: module,
        })
      trust.add([{ path: module, sha256 }])
    },
    remove: (target) =>
      change(({ trusted, declined }) => ({
        trusted: trusted.filter(({ path }) => path !== target),
        declined: declined.filter(({ path }) => path !== target),
      })),
    declines: (item) => !everything && includesItem(all().declined, item),
    decline: (item) =>
      change(({ trusted, declined }) => ({ trusted, declined: [...withoutItems(declined, [item]), item] })),
  }
  return trust
}

function includesItem(items: readonly TrustItem[], { path, sha256 }: TrustItem): boolean {
  return items.some((other) => other.path === path && other.sha256 === sha256)
}

/** Removes items that have a new answer. */
function withoutItems(items: readonly TrustItem[], others: readonly TrustItem[]): readonly TrustItem[] {
  const paths = new Set(others.map(({ path }) => path))
  return items.filter(({ path }) => !paths.has(path))
}

function isBeside(module: string, file: string): boolean {
  try {
    const relative = path.relative(realpathSync(path.dirname(file)), realpathSync(module))
    return relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative)
  } catch {
    return false
  }
}

function readTrust(file: string): Answers {
  const text = readUserRecord(file)
  if (text === undefined) return { trusted: [], declined: [] }
  const read = readYaml({ text, path: file })
  const items = read.kind === 'read' ? read.root.fields?.get('trusted')?.items : undefined
  if (read.kind === 'broken' || (items === undefined && read.root.value !== null)) {
    const line = read.kind === 'broken' ? read.diagnostics[0]?.line : read.root.line
    throw new CadreError(
      'configuration',
      'this file must contain "trusted:" and a list of entries with "path" and "sha256". Correct it, or delete it to start over.',
      { where: `${file}:${line ?? 1}` },
    )
  }
  return {
    trusted: itemsOf(items),
    declined: itemsOf(read.kind === 'read' ? read.root.fields?.get('declined')?.items : undefined),
  }
}

function itemsOf(items: readonly Located[] = []): TrustItem[] {
  return items.flatMap((item) => {
    const path = item.fields?.get('path')?.value
    const sha256 = item.fields?.get('sha256')?.value
    return typeof path === 'string' && typeof sha256 === 'string' ? [{ path, sha256 }] : []
  })
}

function writeTrust(file: string, { trusted, declined }: Answers): void {
  const list = (name: string, items: readonly TrustItem[]) =>
    `${name}:${items.length === 0 ? ' []' : ''}\n${items.map(itemText).join('')}`
  const text = `${heading}\n${list('trusted', trusted)}${declined.length === 0 ? '' : list('declined', declined)}`
  const folder = path.dirname(file)
  const draft = path.join(folder, `.trust-${process.pid}.tmp`)
  try {
    makeFolder(folder, () => 0o700)
    writeFileSync(draft, text, { mode: 0o600, flag: 'w' })
    chmodSync(draft, 0o600)
    renameSync(draft, file)
    rememberOwnWrite(file, text)
  } catch (error) {
    try {
      unlinkSync(draft)
    } catch {
      // It was never created.
    }
    throw new CadreError('configuration', `cannot save your decision: ${sentenceOf(error)}`, {
      where: file,
      cause: error,
    })
  }
}

const heading =
  '# Files that may run on this machine, bound to their content. Written by cadre. Remove an entry to be asked again.'

function itemText({ path, sha256 }: TrustItem): string {
  return `  - path: ${JSON.stringify(path)}\n    sha256: ${JSON.stringify(sha256)}\n`
}
