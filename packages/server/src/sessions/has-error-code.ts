import { CadreError } from '@cadre/core'

export function hasErrorCode(error: unknown, code: string): boolean {
  return error instanceof CadreError && error.code === code
}
