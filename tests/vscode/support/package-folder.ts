import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { fileOfTool, installedFolder } from './installed.ts'

/** The .vsix of an extension's folder. It is stored next to VS Code and rebuilt when a file has changed. */
export async function packageFolder(folder: string): Promise<string> {
  const packages = path.join(installedFolder(), 'packaged')
  const file = path.join(packages, `${path.basename(folder)}-${hashOf(folder)}.vsix`)
  if (existsSync(file)) return file
  mkdirSync(packages, { recursive: true })
  const fresh = `${file}-${process.pid}`
  const vsce = fileOfTool('@vscode', 'vsce', 'vsce')
  const args = [
    'package',
    '--no-dependencies',
    '--allow-missing-repository',
    '--skip-license',
    '--out',
    fresh,
  ]
  await promisify(execFile)(process.execPath, [vsce, ...args], { cwd: folder })
  renameSync(fresh, file)
  return file
}

function hashOf(folder: string): string {
  const hash = createHash('sha256')
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue
    const file = path.join(entry.parentPath, entry.name)
    hash.update(`${path.relative(folder, file)}\0`).update(readFileSync(file))
  }
  return hash.digest('hex').slice(0, 12)
}
