// PreToolUse: keeps each role within its bounds, and denies destructive commands to everyone. No output allows the call; a
// call that cannot be parsed is denied.
import { lstatSync } from 'node:fs'
import path from 'node:path'
import { dangerIn } from './dangerous-command.mjs'
import { artifactPlaces, eventOf, hooksFolder, readHookInput, realOf, rolesIn } from './hook-input.mjs'
import { absolute, commandIn, filesIn, kindOf, readCall } from './tool-call.mjs'

/** What a role may do besides reading. `own`: write its artifact and nothing else. */
const bounds = {
  supervisor: { writes: 'none', commands: false },
  researcher: { writes: 'own', commands: false },
  architect: { writes: 'own', commands: false },
  verifier: { writes: 'own', commands: true },
  diagnostician: { writes: 'own', commands: true },
  'vision-operator': { writes: 'own', commands: true },
  builder: { writes: 'all', commands: true },
}

function judge(payload) {
  const event = eventOf(payload)
  if (event !== undefined && event !== 'pretooluse') return undefined
  const roles = rolesIn(payload)
  const call = readCall(payload)
  const limited = roles.find((role) => bounds[role].writes !== 'all')
  if (call.name === undefined)
    return limited === undefined ? undefined : `the hook input does not name the tool that ${limited} calls`
  const kind = kindOf(call)
  for (const role of roles) {
    const reason =
      kind === 'execute' ? refuseCommand(role) : kind === 'edit' ? refuseEdit(role, call, payload) : undefined
    if (reason !== undefined) return `${reason} (${call.name})`
  }
  const command = kind === 'execute' ? commandIn(call.input) : undefined
  const danger = command === undefined ? undefined : dangerIn(command)
  return danger === undefined ? undefined : `${danger} is never allowed, for any role`
}

function refuseCommand(role) {
  return bounds[role].commands ? undefined : `${role} may not run commands`
}

function refuseEdit(role, { input }, payload) {
  const { writes } = bounds[role]
  if (writes === 'none') return `${role} may not change files. Delegate the change instead`
  const cwd = typeof payload.cwd === 'string' ? payload.cwd : path.resolve(hooksFolder, '..', '..')
  const own = artifactPlaces(role, payload)
  const files = filesIn(input)
  const other = files.find((file) => !isOneOf(own, absolute(file, cwd)))
  if (writes === 'all') {
    const hooks = files.find((file) => isHook(absolute(file, cwd)) && !isOneOf(own, absolute(file, cwd)))
    return hooks === undefined ? undefined : `${hooks} belongs to the hooks, which agents may not change`
  }
  const rule = `${role} may only write its artifact .github/hooks/artifacts/${role}.md`
  if (files.length === 0) return `${rule}, and this call does not name the file it writes`
  return other === undefined ? undefined : `${rule}, not ${other}`
}

/** Compares real paths. A hard link to the same file counts as another file. */
function isOneOf(places, file) {
  const real = realOf(file)
  if (real === undefined || !places.some((place) => isSame(place, real))) return false
  const stats = lstatSync(real, { throwIfNoEntry: false })
  return stats === undefined || (stats.isFile() && stats.nlink === 1)
}

function isHook(file) {
  const real = realOf(file) ?? file
  return /(?:^|[\\/])(?:\.github[\\/]hooks(?:[\\/]|$)|\.claude[\\/]settings(?:\.local)?\.json$)/i.test(real)
}

function isSame(a, b) {
  return process.platform === 'win32' ? a.toLowerCase() === b.toLowerCase() : a === b
}

function deny(reason) {
  const decision = { permissionDecision: 'deny', permissionDecisionReason: reason }
  const hookSpecificOutput = { hookEventName: 'PreToolUse', ...decision }
  process.stdout.write(`${JSON.stringify({ ...decision, hookSpecificOutput })}\n`)
}

try {
  const reason = judge(readHookInput())
  if (reason !== undefined) deny(reason)
} catch (error) {
  deny(`the security check could not read its input: ${error instanceof Error ? error.message : error}`)
}
