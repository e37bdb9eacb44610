import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'

export interface Folder {
  readonly path: string
  at(...names: string[]): string
  write(file: string, content: string | Buffer): string
}

/** A real folder with these files, deleted after the test. */
export function createFolder(files: Readonly<Record<string, string | Buffer>> = {}): Folder {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-lint-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const at = (...names: string[]) => path.join(root, ...names)
  const write = (file: string, content: string | Buffer) => {
    mkdirSync(path.dirname(at(file)), { recursive: true })
    writeFileSync(at(file), content)
    return at(file)
  }
  for (const [file, content] of Object.entries(files)) write(file, content)
  return { path: root, at, write }
}

/** Returns the text of an agent with these key lines. */
export function agentText(keys: string, body = 'Do it.'): string {
  return `---\n${keys}\n---\n${body}\n`
}
