import { CadreError } from '@cadre/core'

export function isCode(error: unknown, code: string): boolean {
  return error instanceof CadreError && error.code === code
}
