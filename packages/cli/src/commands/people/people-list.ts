import { openPeople, type Person } from '@cadre/home'
import { requireTrustedHome } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'

export interface PeopleFlags {
  readonly home?: string
  readonly trust?: boolean
  readonly json?: boolean
}

/** `cadre people list`. */
export async function listPeople(io: Io, flags: PeopleFlags): Promise<ExitCode> {
  const home = await requireTrustedHome(io, flags)
  const people = openPeople(home)
  const all = people.list()
  const configured = people.areConfigured()
  if (flags.json) {
    io.stdout.write(`${JSON.stringify({ people: all.map(personJson), configured })}\n`)
    return exitCodes.done
  }
  const width = Math.max(...all.map(({ name }) => name.length))
  const lines = all.map((person) => `${cleanLine(person.name).padEnd(width)}  ${cleanLine(factsOf(person))}`)
  if (!configured)
    lines.push(
      '',
      `${cleanLine(home.at('storage', 'people.yaml'))} names nobody, so the owner of the home directory has all roles.`,
      'Add people with: cadre people add NAME --role approver --system USER',
    )
  io.stdout.write(`${lines.join('\n')}\n`)
  return exitCodes.done
}

function factsOf({ roles, system, slack, tokenHash }: Person): string {
  return [
    roles.join(', '),
    ...(system === undefined ? [] : [`system user ${system}`]),
    ...(slack === undefined ? [] : [`Slack user ${slack}`]),
    ...(tokenHash === undefined ? [] : ['token']),
  ].join(' · ')
}

/** Never contains the hash of the token. */
function personJson({ name, roles, system, slack, tokenHash }: Person) {
  return {
    name,
    roles,
    ...(system !== undefined && { system }),
    ...(slack !== undefined && { slack }),
    token: tokenHash !== undefined,
  }
}
