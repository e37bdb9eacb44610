import { CadreError, messageOf, plainText } from '@cadre/core'
import { inputAccount, inputsOf, resolveReferences, type ServerConfig, signIn } from '@cadre/mcp'
import { serverStores, userPaths } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { readLine } from '../../run/ask-line.ts'
import { createTerminalUser, type TerminalUser } from '../login/terminal-user.ts'
import { nameOf, openServersFor, requireServer, requireUsable, type ServerFlags } from './folder-servers.ts'

/** `cadre mcp login`. */
export async function logInToServer(io: Io, flags: ServerFlags, name: string): Promise<ExitCode> {
  const parts = await openServersFor(io, flags)
  const server = requireServer(parts, name)
  const shown = nameOf(server)
  requireUsable(parts)
  const person = createTerminalUser(io, flags.json === true)
  try {
    const values = await enterValues(io, server, person)
    const status = server.reach.kind === 'address' ? await signInTo(io, server, person, flags) : 'stored'
    if (values === 0 && status === 'stored')
      throw new CadreError('usage', `the MCP server ${shown} needs no sign-in and no values.`)
    const texts = {
      signed_in: `You are signed in to the MCP server ${shown}.`,
      not_needed: `The MCP server ${shown} needs no sign-in.`,
      stored: `The values for the MCP server ${shown} are stored.`,
    }
    if (flags.json) io.stdout.write(`${JSON.stringify({ type: 'login', server: shown, status, values })}\n`)
    else io.stdout.write(`${cleanLine(texts[status])}\n`)
    return exitCodes.done
  } finally {
    person.leave()
  }
}

/** Asks for the values of `${input:…}`. Returns how many were stored. Nothing of them is shown. */
async function enterValues(io: Io, server: ServerConfig, person: TerminalUser): Promise<number> {
  const ids = inputsOf(server)
  if (ids.length === 0) return 0
  const { secrets } = serverStores(io)
  const answers = io.stdin.isTTY === true ? await askFor(io, server, ids, person) : await readPairs(io, ids)
  let place = ''
  for (const [id, value] of answers) place = await secrets.write(inputAccount(server, id), value)
  const count = answers.size === 1 ? 'the value' : `${answers.size} values`
  if (answers.size > 0) io.stderr.write(`${cleanLine(`cadre: stored ${count} in ${place}`)}\n`)
  return answers.size
}

async function askFor(
  io: Io,
  { inputs }: ServerConfig,
  ids: readonly string[],
  { signal }: TerminalUser,
): Promise<ReadonlyMap<string, string>> {
  const answers = new Map<string, string>()
  for (const id of ids) {
    const what = plainText(inputs[id] ?? id, 200)
    const said = await readLine(io, `${cleanLine(what)} (${cleanLine(id)}): `, {
      signal,
      interrupt: () => process.kill(process.pid, 'SIGINT'),
      hidden: true,
    })
    if (said === undefined) throw new CadreError('cancelled', 'the sign-in was cancelled.')
    if (said !== '') answers.set(id, said)
  }
  return answers
}

/** Without a terminal: `ID=VALUE` lines on standard input, so that no value is in a command line. */
async function readPairs(io: Io, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  let text = ''
  for await (const chunk of io.stdin) text += String(chunk)
  const pairs = new Map<string, string>()
  for (const line of text.split(/\r?\n/)) {
    const at = line.indexOf('=')
    if (at > 0 && ids.includes(line.slice(0, at))) pairs.set(line.slice(0, at), line.slice(at + 1))
  }
  const missing = ids.filter((id) => !pairs.has(id))
  if (missing.length === 0) return pairs
  throw new CadreError(
    'usage',
    `no terminal to ask for the values. Write them to standard input, one per line: ${missing.map((id) => `${id}=VALUE`).join(', ')}.`,
  )
}

async function signInTo(io: Io, server: ServerConfig, person: TerminalUser, { json }: ServerFlags) {
  const { secrets } = serverStores(io)
  const values = { env: io.env, workspace: io.cwd, userHome: userPaths(io.env).home }
  const show = (url: URL) => {
    if (json) io.stdout.write(`${JSON.stringify({ type: 'address', url: url.href })}\n`)
    else
      io.stdout.write(
        `Open this address in a browser to sign in to ${cleanLine(url.host)}, then return here:\n\n  ${url.href}\n\n`,
      )
  }
  try {
    const reach = await resolveReferences(server, values, secrets)
    if (reach.kind !== 'address') return 'stored'
    return await signIn({ server, reach, secrets, show }, person.signal)
  } catch (error) {
    if (person.signal.aborted) throw new CadreError('cancelled', 'the sign-in was cancelled.')
    const reason = plainText(messageOf(error), 1_000)
    throw new CadreError('backend', `cannot sign in to the MCP server ${nameOf(server)}: ${reason}.`)
  }
}
