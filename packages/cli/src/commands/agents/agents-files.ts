import path from 'node:path'
import { type PlaceFilesRequest, placeFiles } from '@cadre/agents'
import { CadreError } from '@cadre/core'
import { formatCount } from '../../output/numbers.ts'

/** Returns each file with its status. Rejects without writing anything if one of them may not be written. */
export function writeFiles(request: PlaceFilesRequest): { readonly path: string; readonly status: string }[] {
  const placement = placeFiles(request)
  const at = (file: string) => path.join(request.folder, file)
  if (placement.kind === 'placed')
    return placement.files.map(({ path: file, status }) => ({ path: at(file), status }))
  const [first] = placement.faults
  const others = placement.faults.length - 1
  const more = others === 0 ? '' : ` (and ${formatCount(others, 'more file')})`
  const remedy = first?.isTaken ? '. Replace it with --force' : ''
  const reason = (first?.reason ?? '').replace(/\.$/, '')
  throw new CadreError('usage', `${at(first?.path ?? '')}: ${reason}${more}${remedy}. Nothing was written.`)
}
