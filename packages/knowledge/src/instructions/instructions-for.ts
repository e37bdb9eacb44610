import path from 'node:path'
import { isInside, realPathOf, statsAt } from '@cadre/disk'
import { matchesGlobs } from '../globs.ts'
import { foldersFromRoot, type KnowledgePaths } from '../knowledge-paths.ts'
import { findInstructions, folderInstructions } from './find-instructions.ts'
import type { InstructionFile } from './instruction-file.ts'

/**
 * Finds the instructions that apply to a file or folder of a workspace, besides those for every session: those with
 * matching globs, and those of the folders between the workspace and it, nearest last. Reads each folder once.
 */
export function instructionsFor(places: KnowledgePaths): (written: string) => readonly InstructionFile[] {
  const workspace = realPathOf(places.workspace)
  const { scoped } = findInstructions({ ...places, workspace })
  const byFolder = new Map<string, readonly InstructionFile[]>()
  const ofFolder = (folder: string) => {
    const found = byFolder.get(folder) ?? folderInstructions(folder, { ...places, workspace })
    byFolder.set(folder, found)
    return found
  }
  return (written) => {
    const real = realPathOf(path.resolve(workspace, written))
    if (!isInside(workspace, real) || real === workspace) return []
    const folder = statsAt(real)?.isDirectory() ? real : path.dirname(real)
    const nested = foldersFromRoot(workspace, folder).slice(1).flatMap(ofFolder)
    return [...scoped.filter((file) => folder !== real && applies(file, real)), ...nested]
  }
}

function applies({ base, applyTo = [] }: InstructionFile, real: string): boolean {
  if (base === undefined) return false
  const relative = path.relative(realPathOf(base), real)
  return !relative.startsWith('..') && matchesGlobs(relative.split(path.sep).join('/'), applyTo)
}
