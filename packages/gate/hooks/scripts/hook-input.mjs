// What a hook is told, whichever program runs it, and where it is. Needs nothing but Node 20.
import { lstatSync, readFileSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the hooks: scripts find their files by where they lie, never by where they were started. */
export const hooksFolder = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

/** Throws when there is no input that can be understood. */
export function readHookInput(env = process.env) {
  const file = env.COPILOT_HOOK_INPUT_PATH
  const text = readFileSync(file ? file : 0, 'utf8').replace(/^\ufeff/, '')
  const payload = JSON.parse(text)
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload))
    throw new Error('the input is not a JSON object')
  return payload
}

/** The first of these keys that holds something. */
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
 * Every role the input names. `recursive-researcher`, `Vision Operator` and `vision_operator` are roles, too. `--agent NAME` names
 * one for programs that do not say whose call it is.
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

/** Where the artifact of a role may be: in the folder the program works in, and in the one these hooks belong to. */
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

/** Where a path really leads; the last parts may not exist yet. Nothing for a link that leads nowhere. */
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
