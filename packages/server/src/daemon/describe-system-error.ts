import { messageOf } from '@cadre/core'
import { systemErrorCode } from '@cadre/disk'

/** Explains why a home is not writable, and what to do: two sentences, the last without a full stop. */
export function describeSystemError(error: unknown): string {
  switch (systemErrorCode(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return 'The disk is full. Free some space'
    case 'EROFS':
      return 'The home directory is read-only. Make it writable'
    case 'EMFILE':
    case 'ENFILE':
      return 'Too many open files. Raise the limit (ulimit -n) or stop other programs'
    default:
      return `Cannot write to the home directory: ${messageOf(error)}. Make it writable`
  }
}
