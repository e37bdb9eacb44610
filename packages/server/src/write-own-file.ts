import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Home } from '@cadre/files'

/**
 * Writes a small file of the daemon's own so that it is at any time the old one or the new one, whole. `durable`: it survives a
 * power loss when this comes back. Throws what the system says.
 */
export function writeOwnFile(
  home: Home,
  place: readonly string[],
  text: string,
  { durable = false }: { readonly durable?: boolean } = {},
): void {
  const name = place.at(-1) ?? ''
  const folder = home.folder(...place.slice(0, -1))
  const draft = path.join(folder, `.${name}.${process.pid}.tmp`)
  const file = openSync(draft, 'w', 0o600)
  try {
    writeFileSync(file, `${text}\n`)
    if (durable) fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(draft, path.join(folder, name))
  if (durable) syncFolder(folder)
}

/** Until then a power loss may take the name of a new file with it. */
function syncFolder(folder: string): void {
  // Windows opens no folders.
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
