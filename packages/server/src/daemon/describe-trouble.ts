import { messageOf } from '@cadre/core'
import { systemTrouble } from '@cadre/disk'

/** Why a home cannot be written, and what to do about it: two clauses, for a sentence. */
export function describeTrouble(error: unknown): string {
  switch (systemTrouble(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return 'the disk is full, and nothing can be written: make space'
    case 'EROFS':
      return 'the home is read-only, and nothing can be written: make it writable'
    case 'EMFILE':
    case 'ENFILE':
      return 'no more files can be opened: raise the limit (ulimit -n), or end other programs'
    default:
      return `nothing can be written: ${messageOf(error)}; make it writable`
  }
}
