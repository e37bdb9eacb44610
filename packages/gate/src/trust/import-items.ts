import { createHash } from 'node:crypto'
import path from 'node:path'
import type { TrustItem } from '@cadre/home'
import { findInstructions, type OutsideImports } from '@cadre/knowledge'
import type { FolderItem } from './folder-item.ts'

/** The trust item for project instructions that import files outside the project. */
export function importsItem(
  project: string,
  { file, targets }: Pick<OutsideImports, 'file' | 'targets'>,
): TrustItem {
  const sha256 = createHash('sha256').update(targets.join('\0')).digest('hex')
  return { path: `${path.join(project, file)}#imports`, sha256 }
}

/** Returns the project instructions that import files outside the project, which would be sent to the model. */
export function importItems(project: string, userHome: string): FolderItem[] {
  const { leaving } = findInstructions({ workspace: project, userHome })
  return leaving.map((found) => ({
    ...importsItem(project, found),
    file: path.join(project, found.file),
    line: found.line,
    what: `imports files outside this folder into agents' prompts: ${found.targets.join(', ')}`,
  }))
}
