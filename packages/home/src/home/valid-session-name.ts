import { CadreError } from '@cadre/core'

const longest = 180
/** Not allowed in a file name on one system or another. */
const unsafe = /[/\\:*?"<>|\p{Cc}\p{Cs}]/u

/** A session's id becomes part of a path: it must not lead anywhere else. */
export function isName(id: string): boolean {
  return id !== '' && id.length <= longest && !id.startsWith('.') && !unsafe.test(id)
}

export function checkName(id: string): void {
  if (isName(id)) return
  throw new CadreError('usage', `${JSON.stringify(id)} is not a valid session name.`)
}
