import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

export type VsCodeVersion = 'newest' | 'oldest'

/** The folder in which `npm run test:vscode` installed everything. */
export function installedFolder(): string {
  const folder = process.env['CADRE_TEST_VSCODE']
  if (folder === undefined)
    throw new Error('CADRE_TEST_VSCODE is not set: run `npm run test:vscode` once; it prints it.')
  return folder
}

/** Node and the command of code-server, in this version. */
export function codeServerOf(version: VsCodeVersion): { node: string; entry: string } {
  const modules = path.join(installedFolder(), version, 'node_modules')
  return {
    node: path.join(modules, `node-${process.platform}-${process.arch}`, 'bin', 'node'),
    entry: path.join(modules, 'code-server', 'out', 'node', 'entry.js'),
  }
}

/** Loads a package of the tools, such as `playwright-core`. */
export function loadTool<T>(name: string): T {
  return createRequire(path.join(installedFolder(), 'tools', 'package.json'))(name) as T
}

export function fileOfTool(...parts: string[]): string {
  const file = path.join(installedFolder(), 'tools', 'node_modules', ...parts)
  if (!existsSync(file)) throw new Error(`${file} is missing.`)
  return file
}
