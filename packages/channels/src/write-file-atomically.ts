import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Home, rememberOwnWrite } from '@cadre/home'

/**
 * Replaces a small file of the daemon atomically. `durable`: the new file survives a power loss once this returns. Throws system
 * errors.
 */
export function writeFileAtomically(
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
  rememberOwnWrite(path.join(folder, name), `${text}\n`)
  renameSync(draft, path.join(folder, name))
  if (durable) syncFolder(folder)
}

/** Without this, a power loss may remove the directory entry of a new file. */
function syncFolder(folder: string): void {
  // Windows cannot open folders.
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
