import path from 'node:path'
import { CadreError, type JsonObject } from '@cadre/core'
import { loadConfig } from '@cadre/home'
import { hiddenCodeWarning } from '@cadre/mcp'
import { homeOf } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { configPaths } from '../config/config-rows.ts'
import { writeSettings } from '../config/config-set.ts'

export interface AddFlags {
  readonly env?: readonly string[]
  readonly header?: readonly string[]
  readonly effect?: 'read' | 'write' | 'execute' | 'outbound'
  readonly tools?: readonly string[]
  readonly project?: boolean
  readonly home?: string
  readonly json?: boolean
}

/** `cadre mcp add`. */
export async function addServer(io: Io, flags: AddFlags, ...words: readonly string[]): Promise<ExitCode> {
  const [name = '', first = '', ...rest] = words
  if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(name))
    throw new CadreError(
      'usage',
      `${JSON.stringify(name)} is not a valid name. Use letters, digits, dots, hyphens and underscores, for example "docs".`,
    )
  if (first === '')
    throw new CadreError(
      'usage',
      `the MCP server ${name} needs an address, or a program after "--": cadre mcp add ${name} -- PROGRAM ARGUMENT…`,
    )
  const { env = [], header = [], effect, tools } = flags
  const isAddress = /^https?:\/\//i.test(first)
  if (!isAddress && /^\w+:\/\//.test(first))
    throw new CadreError(
      'usage',
      `the address must start with https:// or http://, not ${JSON.stringify(first)}.`,
    )
  if (isAddress && rest.length > 0)
    throw new CadreError('usage', `unexpected argument ${JSON.stringify(rest[0])} after the address.`)
  if (isAddress && env.length > 0)
    throw new CadreError(
      'usage',
      '--env works only with a program that Cadre starts. For a server with a URL, use --header.',
    )
  if (!isAddress && header.length > 0)
    throw new CadreError('usage', '--header is for addresses. Use --env for a program.')
  const server: JsonObject = {
    ...(isAddress ? { url: first } : { command: first, ...(rest.length > 0 && { args: [...rest] }) }),
    ...(env.length > 0 && { env: pairsOf(env, '--env') }),
    ...(header.length > 0 && { headers: pairsOf(header, '--header') }),
    ...(tools && { tools: [...tools] }),
    ...(effect !== undefined && { effects: effect }),
  }
  const places = await configPaths(io, flags.home)
  const file = flags.project ? places.project : places.user
  const { servers } = await loadConfig({
    userConfig: places.user,
    home: path.dirname(places.project),
    trusted: () => true,
  })
  if (flags.project) homeOf(io, flags.home).folder('storage')
  if (servers.some((one) => one.file === file && Object.hasOwn(one.servers, name)))
    throw new CadreError(
      'usage',
      `${file} already has a server named ${name}. Run "cadre mcp remove ${name}" first.`,
    )
  writeSettings(
    file,
    Object.entries(server).map(([key, value]) => ({ keys: ['mcp', 'servers', name, key], value })),
  )
  // A server of a project runs in the sandbox.
  const warning = isAddress || flags.project ? undefined : warningOf(name, [first, ...rest], server['env'])
  if (flags.json)
    io.stdout.write(`${JSON.stringify({ type: 'mcp', server: name, file, ...(warning && { warning }) })}\n`)
  else
    io.stdout.write(
      `${cleanLine(`Added the MCP server ${name} to ${file}.`)}\n${warning === undefined ? '' : `Warning: ${cleanLine(warning)}\n`}Test it with "cadre mcp test ${name}".\n`,
    )
  return exitCodes.done
}

function warningOf(name: string, words: readonly string[], env: unknown): string | undefined {
  const [command = '', ...args] = words
  const variables = (env ?? {}) as { readonly [name: string]: string }
  return hiddenCodeWarning({ name, reach: { kind: 'program', command, args, env: variables } })
}

const secretName = /token|secret|password|api[-_]?key|authorization/i

function pairsOf(texts: readonly string[], flag: string): JsonObject {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, value = ''] = /^([^=\s]+)=(.*)$/s.exec(text) ?? []
      if (name === undefined)
        throw new CadreError('usage', `${flag} must be NAME=VALUE, not ${JSON.stringify(text)}.`)
      if (secretName.test(name) && !value.includes('${'))
        throw new CadreError(
          'usage',
          `${flag} ${name}: do not write secrets to a file. Use a variable, for example '${name}=\${${name.toUpperCase().replace(/\W/g, '_')}}', or '\${input:${name.toLowerCase()}}' and "cadre mcp login".`,
        )
      return [name, value]
    }),
  )
}
