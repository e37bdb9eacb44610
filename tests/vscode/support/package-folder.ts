import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { fileOfTool } from './installed.ts'

const packaged = new Map<string, Promise<string>>()

/** The .vsix of an extension's folder, made once. */
export function packageFolder(folder: string): Promise<string> {
  const known = packaged.get(folder)
  if (known) return known
  const made = make(folder)
  packaged.set(folder, made)
  return made
}

async function make(folder: string): Promise<string> {
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'cadre-vsix-')), `${path.basename(folder)}.vsix`)
  const vsce = fileOfTool('@vscode', 'vsce', 'vsce')
  const args = ['package', '--no-dependencies', '--allow-missing-repository', '--skip-license', '--out', file]
  await promisify(execFile)(process.execPath, [vsce, ...args], { cwd: folder })
  return file
}
