import { type LoadedPolicy, restrictions } from '@cadre/home'
import { type Check, fail, ok, warn } from './check.ts'

/** Which policies are in force, what each of them decides, and who could change them. */
export function checkPolicy(policy: LoadedPolicy): Check[] {
  const { files, diagnostics } = policy
  if (files.length === 0)
    return [ok('policy', 'no file; the defaults hold: reading is allowed, whatever else is asked')]
  const isBroken = diagnostics.some(({ severity }) => severity === 'error')
  const all = restrictions(policy)
  const found = files.map(({ level, path }) => {
    const own = all.filter(({ place }) => place.startsWith(`${path}:`))
    const said = own.map(({ key, value, place }) => `${key}: ${value} (line ${place.slice(path.length + 1)})`)
    return ok(
      'policy',
      `${path} (${level}) ${said.length === 0 ? 'decides nothing more' : `decides ${said.join('; ')}`}`,
    )
  })
  const problems = diagnostics.map(({ severity, path, line, message, fix }) => {
    const text = `${path}${line === undefined ? '' : `:${line}`}: ${message}`
    if (severity !== 'error') return warn('policy', text, fix)
    return fail(
      'policy',
      text,
      `${fix === undefined ? 'Correct it' : fix.replace(/\.$/, '')}; no session is run until then.`,
    )
  })
  return isBroken ? problems : [...found, ...problems]
}
