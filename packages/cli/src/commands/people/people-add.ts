import { CadreError } from '@cadre/core'
import { requirePerson } from '@cadre/gate'
import { roles as known, openPeople, type Role } from '@cadre/home'
import { requireTrustedHome } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import type { PeopleFlags } from './people-list.ts'

export interface AddPersonFlags extends PeopleFlags {
  readonly role?: readonly Role[]
  readonly system?: string
  readonly slack?: string
  readonly noToken?: boolean
}

/** `cadre people add`. */
export async function addPerson(io: Io, flags: AddPersonFlags, name: string): Promise<ExitCode> {
  const { role = [], system, slack, noToken = false } = flags
  if (role.length === 0)
    throw new CadreError(
      'usage',
      `--role is missing. Add at least one role for ${name}: ${known.map((one) => `--role ${one}`).join(', ')}.`,
    )
  const home = await requireTrustedHome(io, flags)
  requirePerson(home, io.env)
  const { person, token } = await openPeople(home).add({
    name,
    roles: [...new Set(role)],
    ...(system !== undefined && { system }),
    ...(slack !== undefined && { slack }),
    token: !noToken,
  })
  const { roles } = person
  if (flags.json) {
    io.stdout.write(`${JSON.stringify({ type: 'added', name, roles, ...(token && { token }) })}\n`)
    return exitCodes.done
  }
  io.stdout.write(`${cleanLine(`Added ${name}: ${roles.join(', ')}.`)}\n`)
  if (token !== undefined)
    io.stdout.write(
      `Token (shown only once). Sign in to the page with it, or send it as "Authorization: Bearer TOKEN":\n${token}\n`,
    )
  return exitCodes.done
}
