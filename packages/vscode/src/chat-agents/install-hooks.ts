import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { hookRunners } from './hook-files.ts'

export interface HooksRequest {
  /** `~/.config/cadre/vscode`, where the contributed agents expect their hooks. */
  readonly folder: string
  /** The scripts of the extension. */
  readonly scripts: string
  readonly node: string
}

/** Installs the hooks of the contributed agents. Writes only missing or changed files. */
export async function installHooks({ folder, scripts, node }: HooksRequest): Promise<void> {
  const files = new Map(Object.entries(hookRunners(node)))
  for (const name of await readdir(scripts))
    if (name.endsWith('.mjs'))
      files.set(path.join('hooks', 'scripts', name), await readFile(path.join(scripts, name), 'utf8'))
  for (const [name, text] of files) await put(path.join(folder, name), text)
}

async function put(file: string, text: string): Promise<void> {
  if ((await readFile(file, 'utf8').catch(() => undefined)) === text) return
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  // Replaced atomically, because a hook may be starting in this window or another.
  const beside = `${file}.${process.pid}.new`
  await writeFile(beside, text, { mode: 0o600 })
  await rename(beside, file)
}
