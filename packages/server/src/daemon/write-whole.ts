import { renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Home } from '@cadre/files'

/** Writes a small file of the daemon's own so that it is at any time the old one or the new one. Throws what the system says. */
export function writeWhole(home: Home, folder: readonly string[], name: string, text: string): void {
  const place = home.folder(...folder)
  const draft = path.join(place, `.${name}.${process.pid}.tmp`)
  writeFileSync(draft, `${text}\n`)
  renameSync(draft, path.join(place, name))
}
