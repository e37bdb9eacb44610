import { copyFileSync, linkSync, lstatSync, mkdirSync, readdirSync, utimesSync } from 'node:fs'
import path from 'node:path'

/** Copies a folder with its times. Hard links stay hard links, because leases use them. */
export function copyFolder(from: string, to: string, linked = new Map<number, string>()): void {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)]
    if (entry.isDirectory()) {
      copyFolder(source, target, linked)
      continue
    }
    const { ino, nlink, atime, mtime } = lstatSync(source)
    const first = linked.get(ino)
    if (first !== undefined) {
      linkSync(first, target)
      continue
    }
    copyFileSync(source, target)
    utimesSync(target, atime, mtime)
    if (nlink > 1) linked.set(ino, target)
  }
}
