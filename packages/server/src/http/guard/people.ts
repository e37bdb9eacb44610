import type { IncomingHttpHeaders } from 'node:http'
import type { Role } from '@cadre/api'
import { CadreError } from '@cadre/core'
import { type Home, openPeople } from '@cadre/home'
import { type Caller, withIncluded } from './caller.ts'
import { hashOf } from './login-file.ts'

/** People with tokens. Tokens are stored as hashes, and compared in constant time. */
export interface People {
  /** By a token's SHA-256 hash, in hexadecimal. */
  findByTokenHash(hash: string): { readonly name: string; readonly roles: readonly Role[] } | undefined
}

/** A home's people. No token is valid while their file contains an error. */
export function peopleOf(home: Home): People {
  const people = openPeople(home)
  return {
    findByTokenHash(hash) {
      try {
        return people.byTokenHash(hash)
      } catch (error) {
        if (error instanceof CadreError) return undefined
        throw error
      }
    },
  }
}

/** The person who has the request's `Bearer` token. `undefined` if there is no token, or if it is not valid. */
export function callerOfToken(headers: IncomingHttpHeaders, people: People): Caller | undefined {
  const token = /^Bearer ([\w~+/.-]{16,512}=*)$/.exec(headers.authorization ?? '')?.[1]
  if (token === undefined) return undefined
  const tokenHash = hashOf(token)
  const person = people.findByTokenHash(tokenHash)
  if (person === undefined) return undefined
  const login = hashOf(`token\0${person.name}`)
  return { by: person.name, roles: withIncluded(person.roles), login, via: 'token', tokenHash }
}
