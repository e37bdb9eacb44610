// Reads the input of a hook for any host, and finds the folder of the hooks. Requires only Node 20.
import { lstatSync, readFileSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** Scripts find their files relative to their own location, never to the working directory. */
export const hooksFolder = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

/** Throws if the input is missing or invalid. */
export function readHookInput(env = process.env) {
  const file = env.COPILOT_HOOK_INPUT_PATH
  const text = readFileSync(file ? file : 0, 'utf8').replace(/^\ufeff/, '')
  const payload = JSON.parse(text)
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload))
    throw new Error('the input is not a JSON object')
  return payload
}

/** Returns the value of the first of these keys that is set. */
export function field(payload, ...keys) {
  for (const key of keys) if (payload[key] !== undefined && payload[key] !== null) return payload[key]
  return undefined
}

export function eventOf(payload) {
  const name = field(payload, 'hook_event_name', 'hookEventName')
  return typeof name === 'string' ? name.toLowerCase() : undefined
}

const names = [
  'researcher',
  'architect',
  'builder',
  'verifier',
  'diagnostician',
  'vision-operator',
  'supervisor',
]
const agentKeys = [
  'agent_type',
  'agentType',
  'agent_name',
  'agentName',
  'agent_display_name',
  'agentDisplayName',
  'agent',
  'agent_id',
  'agentId',
]

/**
 * Returns every role that the input names, in any spelling: `recursive-researcher`, `Vision Operator`, `vision_operator`.
 * `--agent NAME` names the role for hosts that do not report who made the call.
 */
export function rolesIn(payload, args = process.argv.slice(2)) {
  const at = args.indexOf('--agent')
  const said = [...agentKeys.map((key) => payload[key]), at === -1 ? undefined : args[at + 1]]
  return [...new Set(said.flatMap((name) => roleOf(name) ?? []))]
}

export function roleOf(name) {
  if (typeof name !== 'string') return undefined
  const plain = name
    .trim()
    .toLowerCase()
    .replace(/\.agent\.md$|\.md$/, '')
    .replaceAll(/[\s_]+/g, '-')
    .replace(/^recursive-/, '')
  return names.includes(plain) ? plain : undefined
}

/** The possible locations of a role's artifact: the working folder of the host, and the project of these hooks. */
export function artifactPlaces(role, payload) {
  const said = payload.cwd
  const project = path.resolve(hooksFolder, '..', '..')
  const belongs =
    path.basename(hooksFolder) === 'hooks' && path.basename(path.dirname(hooksFolder)) === '.github'
  const roots = [
    typeof said === 'string' && path.isAbsolute(said) ? said : undefined,
    belongs ? project : undefined,
  ]
  const places = roots.flatMap((root) => {
    const real = root === undefined ? undefined : realOf(root)
    return real === undefined ? [] : [path.join(real, '.github', 'hooks', 'artifacts', `${role}.md`)]
  })
  return [...new Set(places)]
}

/** Resolves links in a path whose last parts may not exist yet. Returns undefined for a dangling link. */
export function realOf(target) {
  try {
    return realpathSync(target)
  } catch {
    if (isThere(target)) return undefined
    const above = path.dirname(target)
    const real = above === target ? undefined : realOf(above)
    return real === undefined ? undefined : path.join(real, path.basename(target))
  }
}

function isThere(target) {
  try {
    lstatSync(target)
    return true
  } catch {
    return false
  }
}
