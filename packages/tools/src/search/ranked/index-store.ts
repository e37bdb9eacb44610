/**
 * Owns the home's `storage/index`: derived search data, one file per folder.
 *
 * 1. Everything in it can be deleted at any time; missing, torn or outdated files are rebuilt from the searched files.
 * 2. Files are replaced atomically. If two processes write, the later one wins: readers compare with the searched files
 *    anyway.
 * 3. Only the user can read it, because it contains words from files that agents read.
 */
import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type Json, parseJson } from '@cadre/core'

export interface IndexStore {
  /** Returns the data of this folder and name; undefined if there is none, or it is not usable. */
  load(root: string, name: string): Promise<Buffer | undefined>
  /** Resolves with false if it was not stored: a full disk must not prevent searching. */
  save(root: string, name: string, content: string | Buffer): Promise<boolean>
}

const maxAgeMs = 60 * 24 * 60 * 60 * 1000
const maxBytes = 512 * 1024 * 1024

/** Without a home, nothing is stored. */
export function openIndexStore(home: string | undefined): IndexStore {
  if (home === undefined) return { load: async () => undefined, save: async () => false }
  const folder = path.join(home, 'storage', 'index')
  const fileOf = (root: string, name: string) =>
    path.join(folder, `${createHash('sha256').update(root).digest('hex').slice(0, 32)}.${name}`)
  return {
    async load(root, name) {
      try {
        const file = fileOf(root, name)
        if ((await stat(file)).size > maxBytes) return undefined
        return contentOf(await readFile(file), root)
      } catch {
        return undefined
      }
    },
    async save(root, name, content) {
      if (!existsSync(home)) return false
      const body = Buffer.isBuffer(content) ? content : Buffer.from(content)
      const head = `${JSON.stringify({ root, sum: sumOf(body) })}\n`
      const file = fileOf(root, name)
      const draft = `${file}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`
      try {
        await mkdir(folder, { recursive: true })
        await writeFile(draft, Buffer.concat([Buffer.from(head), body]), { mode: 0o600, flag: 'wx' })
        await rename(draft, file)
        await sweep(folder)
        return true
      } catch {
        await rm(draft, { force: true }).catch(() => {})
        return false
      }
    },
  }
}

function contentOf(bytes: Buffer, root: string): Buffer | undefined {
  const end = bytes.indexOf(10)
  if (end < 0) return undefined
  const head = parseJson(bytes.toString('utf8', 0, end))
  const { root: named, sum } = (head.ok ? (head.value ?? {}) : {}) as Record<string, Json>
  const body = bytes.subarray(end + 1)
  return named === root && sum === sumOf(body) ? body : undefined
}

function sumOf(body: Buffer): string {
  return createHash('sha256').update(body).digest('hex')
}

/** Deletes data of folders that were not searched for a long time, and temporary files of dead processes. */
async function sweep(folder: string): Promise<void> {
  const now = Date.now()
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name)
    const stats = await stat(file).catch(() => undefined)
    const age = stats === undefined ? 0 : now - stats.mtimeMs
    if (age > (name.endsWith('.tmp') ? 60 * 60 * 1000 : maxAgeMs))
      await rm(file, { force: true }).catch(() => {})
  }
}
