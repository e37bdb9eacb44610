import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { runners } from './hook-files.ts'

export interface HooksRequest {
  /** `~/.config/cadre/vscode`, where the contributed agents look for their hooks. */
  readonly folder: string
  /** The scripts that come with the extension. */
  readonly scripts: string
  readonly node: string
}

/** Puts the hooks of the contributed agents where their files look for them. Writes only what is not there yet. */
export async function installHooks({ folder, scripts, node }: HooksRequest): Promise<void> {
  const files = new Map(Object.entries(runners(node)))
  for (const name of await readdir(scripts))
    if (name.endsWith('.mjs'))
      files.set(path.join('hooks', 'scripts', name), await readFile(path.join(scripts, name), 'utf8'))
  for (const [name, text] of files) await put(path.join(folder, name), text)
}

async function put(file: string, text: string): Promise<void> {
  if ((await readFile(file, 'utf8').catch(() => undefined)) === text) return
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  // A hook may be starting at this moment, in this window or another: it finds the old file or the new one.
  const beside = `${file}.${process.pid}.new`
  await writeFile(beside, text, { mode: 0o600 })
  await rename(beside, file)
}
