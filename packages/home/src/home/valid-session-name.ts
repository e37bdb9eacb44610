import { CadreError } from '@cadre/core'

const maxLength = 180
/** Characters that some system does not allow in file names. */
const unsafe = /[/\\:*?"<>|\p{Cc}\p{Cs}]/u

/** A session id becomes part of a path, so it must not point elsewhere. */
export function isSessionName(id: string): boolean {
  return id !== '' && id.length <= maxLength && !id.startsWith('.') && !unsafe.test(id)
}

export function checkSessionName(id: string): void {
  if (isSessionName(id)) return
  throw new CadreError('usage', `${JSON.stringify(id)} is not a valid session name.`)
}
