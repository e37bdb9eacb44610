// The client that the conformance suite starts: Cadre's own connection and sign-in, with a person who agrees to everything.
// The suite passes the address of its server as the last argument, and the scenario in the environment.
import { connectServer, signIn, storedAuth } from '@cadre/mcp'

const url = process.argv.at(-1)
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? ''
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}')
const kept = new Map()
const secrets = {
  read: async (account) => kept.get(account),
  write: async (account, secret) => {
    kept.set(account, secret)
    return 'memory'
  },
  remove: async (account) => void kept.delete(account),
}
const oauth = {
  ...(context.client_id && { clientId: context.client_id }),
  ...(context.client_secret && { clientSecret: context.client_secret }),
}
const reach = { kind: 'address', url, headers: {}, ...(Object.keys(oauth).length > 0 && { oauth }) }
const server = {
  ...{ name: 'conformance', scope: 'user', file: 'config.yaml', syntax: 'cadre', reach },
  ...{ tools: ['*'], effects: {}, inputs: {} },
}
const signal = AbortSignal.timeout(25_000)

/** A browser that follows the addresses, and a person who agrees. */
async function browse(address) {
  let next = address
  for (let i = 0; i < 5 && next; i++) {
    const response = await fetch(next, { redirect: 'manual' })
    const location = response.headers.get('location')
    next = location ? new URL(location, next) : undefined
  }
}

const show = (address) => void browse(address).catch((error) => console.error(error))

async function use(scopes) {
  if (scenario.startsWith('auth/'))
    await signIn(
      { server, reach: { ...reach, ...(scopes && { oauth: { ...oauth, scopes } }) }, secrets, show },
      signal,
    )
  const connection = await connectServer(reach, {
    env: process.env,
    workspace: process.cwd(),
    auth: storedAuth(server, reach, secrets),
    elicit: async () => ({ action: 'accept', content: {} }),
  })
  try {
    const tools = await connection.list()
    const limits = { signal, idleLimit: 10_000, totalLimit: 20_000 }
    const [focal] = tools
    for (const tool of tools) {
      // The scenario about schemas wants the first one back as it was read.
      const isEcho = scenario.startsWith('json-schema-2020') && tool !== focal
      await connection.call(tool.name, isEcho ? { schema: focal.inputSchema } : argumentsOf(tool), limits)
    }
  } finally {
    await connection.close()
  }
}

function argumentsOf({ name, inputSchema }) {
  const planned = context.toolCalls?.find((call) => call.name === name)
  if (planned) return planned.arguments
  const values = { number: 1, integer: 1, boolean: true, string: 'x', array: [], object: {} }
  const needed = inputSchema.required ?? Object.keys(inputSchema.properties ?? {})
  return Object.fromEntries(needed.map((key) => [key, values[inputSchema.properties?.[key]?.type] ?? 'x']))
}

/** As a person does who is told that the server wants a new sign-in or more rights: signs in again, a few times at most. */
let wanted
for (let tries = 0; ; tries++) {
  try {
    await use(wanted)
    break
  } catch (error) {
    const scope = error?.requiredScope ?? error?.cause?.requiredScope
    const again = scope !== undefined || String(error?.message).includes('cadre mcp login')
    if (!again || tries >= 2) {
      console.error(error)
      process.exitCode = 1
      break
    }
    wanted = scope?.split(' ')
  }
}
