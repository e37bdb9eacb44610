import path from 'node:path'
import { isInside, realPathOf, statsAt } from '@cadre/disk'
import { fitsGlobs } from '../globs.ts'
import { foldersDown, type KnowledgePlaces } from '../places.ts'
import { findInstructions, instructionsOfFolder } from './find-instructions.ts'
import type { InstructionFile } from './instruction-file.ts'

/**
 * The instructions that apply to a file or folder of the workspace, besides those of every session: of the folders between the
 * workspace and it, the nearest last, and those with globs that fit it.
 */
export function instructionsFor(written: string, places: KnowledgePlaces): readonly InstructionFile[] {
  const workspace = realPathOf(places.workspace)
  const real = realPathOf(path.resolve(workspace, written))
  if (!isInside(workspace, real) || real === workspace) return []
  const folder = statsAt(real)?.isDirectory() ? real : path.dirname(real)
  const nested = foldersDown(workspace, folder)
    .slice(1)
    .flatMap((at) => instructionsOfFolder(at, { ...places, workspace }))
  const { scoped } = findInstructions({ ...places, workspace })
  return [...scoped.filter((file) => applies(file, real, folder !== real)), ...nested]
}

function applies({ base, applyTo = [] }: InstructionFile, real: string, isFile: boolean): boolean {
  if (base === undefined || !isFile) return false
  const relative = path.relative(realPathOf(base), real)
  return !relative.startsWith('..') && fitsGlobs(relative.split(path.sep).join('/'), applyTo)
}
