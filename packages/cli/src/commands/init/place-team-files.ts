import path from 'node:path'
import { type PlaceFilesRequest, type Placement, placeFiles } from '@cadre/agents'
import { CadreError } from '@cadre/core'
import type { Home } from '@cadre/home'
import type { Plan } from './plan-team-files.ts'

export interface TeamFileStatus {
  readonly path: string
  readonly status: 'created' | 'replaced' | 'unchanged' | 'kept' | 'conflict'
}

export interface PlaceTeamRequest {
  readonly plan: Plan
  readonly home: Home
  readonly project: string
  readonly force: boolean
  /** Only report what would happen. */
  readonly dryRun: boolean
}

/** Writes the files of a team. If one of them may not be written, none is, and all such files are listed. */
export function placeTeamFiles({ plan, home, project, force, dryRun }: PlaceTeamRequest): TeamFileStatus[] {
  const parts: PlaceFilesRequest[] = [
    { folder: project, files: plan.inProject, force, edited: plan.edited },
    { folder: home.path, files: plan.inHome, force, isPrivate: true },
  ].filter(({ files }) => files.length > 0)
  const look = (request: PlaceFilesRequest) => placeFiles({ ...request, dryRun: true })
  const status = plan.starts ? 'unchanged' : 'kept'
  const kept = plan.kept.map(
    (file): TeamFileStatus => ({ path: file, status: file.endsWith('config.yaml') ? status : 'kept' }),
  )
  const expected = parts.flatMap((part) => statusesOf(part, look(part)))
  if (dryRun) return [...expected, ...kept]
  const faults = parts.flatMap((part) => faultsOf(part, look(part)))
  if (faults.length > 0) throw new CadreError('configuration', `nothing was written: ${faults.join('; ')}`)
  const placed = parts.map((part) => {
    // Created before its files, so that git never sees them, and after the project's files, which may fail.
    if (part.isPrivate === true) home.folder()
    return { part, placement: placeFiles(part) }
  })
  return [...placed.flatMap(({ part, placement }) => statusesOf(part, placement)), ...kept]
}

function statusesOf(part: PlaceFilesRequest, placement: Placement): TeamFileStatus[] {
  const { folder, files } = part
  const at = (file: string) => path.join(folder, file)
  if (placement.kind === 'placed')
    return placement.files.map(({ path: file, status }) => ({ path: at(file), status }))
  const refused = new Set(placement.faults.map((fault) => fault.path))
  // Each separately, because the result of the others is useful too.
  return files.flatMap((file): TeamFileStatus[] =>
    refused.has(file.path)
      ? [{ path: at(file.path), status: 'conflict' }]
      : statusesOf({ ...part, files: [file] }, placeFiles({ ...part, files: [file], dryRun: true })),
  )
}

function faultsOf({ folder }: PlaceFilesRequest, placement: Placement): string[] {
  if (placement.kind === 'placed') return []
  return placement.faults.map(({ path: file, reason, isTaken }) => {
    const why = reason.replace(/\.$/, '')
    return `${path.join(folder, file)}: ${isTaken ? `${why} and differs. Replace it with --force` : why}`
  })
}
