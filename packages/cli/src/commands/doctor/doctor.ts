import { type LoadedPolicy, listRestrictions, permissivePolicy } from '@cadre/home'
import { homeOf, loadPolicyFor, untrustedItems } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { createStyle, type Style, shouldUseColour } from '../../output/style.ts'
import { availableWidth } from '../../output/text-table.ts'
import { textWidth } from '../../output/text-width.ts'
import { wrapText } from '../../output/wrap-text.ts'
import { type Check, fail, ok, warn } from './check.ts'
import { agentsWithModels } from './check-agent-models.ts'
import { checkAgentPrograms } from './check-agent-programs.ts'
import { checkBudgets } from './check-budgets.ts'
import { checkConfiguration } from './check-configuration.ts'
import { checkCopilot } from './check-copilot.ts'
import { checkEngine } from './check-engine.ts'
import { checkGate } from './check-gate.ts'
import { checkHome } from './check-home.ts'
import { checkModel } from './check-model.ts'
import { checkPeople } from './check-people.ts'
import { checkPrograms } from './check-programs.ts'
import { checkRepository } from './check-repository.ts'
import { checkServers } from './check-servers.ts'
import { checkTelemetry } from './check-telemetry.ts'

export interface DoctorFlags {
  readonly home?: string
  readonly model?: string
  readonly wait?: number
  readonly json?: boolean
}

/** `cadre doctor`. */
export async function runDoctor(io: Io, flags: DoctorFlags): Promise<ExitCode> {
  const home = homeOf(io, flags.home)
  const homeTrusted = (await untrustedItems(io, home)).length === 0
  const loaded = await loadPolicyFor(io, home, homeTrusted)
  // If a policy is invalid, its other decisions are unknown.
  const policy = loaded.diagnostics.some(({ severity }) => severity === 'error') ? permissivePolicy : loaded
  const { checks: settled, settings } = await checkConfiguration(io, home, { policy, homeTrusted })
  const limit = (flags.wait ?? 3) * 1000
  const named = flags.model || io.env['CADRE_MODEL'] || settings?.config.model
  const agents = agentsWithModels(io, home, { policy, team: settings?.config.team })
  const copilot = checkCopilot(io, settings, { model: named, limit })
  const [programs, model, sandbox, { checks: ofCopilot }, telemetry, engine, repository] = await Promise.all([
    checkPrograms(),
    checkModel(io, settings, policy, { named, copilot, limit, agents }),
    checkSandbox(io.env),
    copilot,
    checkTelemetry(io, limit),
    checkEngine(settings, limit),
    checkRepository(settings, home, io.cwd, limit),
  ])
  const checks: Check[] = [
    ...programs,
    ...checkHome(home),
    ...checkPolicy(loaded),
    ...checkPeople(home, policy),
    ...settled,
    ...checkGate(io, home),
    ...(await checkServers(io, home, { settings, policy })),
    ...model,
    ...ofCopilot,
    ...(await checkAgentPrograms(io, settings, { model: named, sandbox })),
    sandbox,
    ...telemetry,
    ...engine,
    ...repository,
    ...(await checkBudgets(home, settings, policy)),
  ]
  const usable = checks.every(({ status }) => status !== 'fail')
  if (flags.json) io.stdout.write(`${JSON.stringify({ type: 'doctor', usable, checks })}\n`)
  else {
    const style = createStyle(shouldUseColour(io.stdout, io.env))
    const lines = checks.map((check) => lineOf(check, style, availableWidth(io.stdout)))
    io.stdout.write(`${lines.join('\n')}\n`)
  }
  return usable ? exitCodes.done : exitCodes.failed
}

function lineOf({ name, status, message, fix }: Check, style: Style, columns: number): string {
  const colour = { ok: style.green, warn: style.yellow, fail: style.red }
  const lines = (text: string) => wrapText(cleanText(text), Math.max(20, columns - 21), textWidth).split('\n')
  const said = [...lines(message), ...(fix === undefined ? [] : lines(fix).map(style.dim))]
  return `${colour[status](status.padEnd(4))}  ${name.padEnd(14)} ${said.join(`\n${' '.repeat(21)}`)}`
}

/** The policies in effect, their decisions, and who can change them. */
function checkPolicy(policy: LoadedPolicy): Check[] {
  const { files, diagnostics } = policy
  if (files.length === 0)
    return [ok('policy', 'no file; defaults: reading is allowed, everything else needs an approval')]
  const isBroken = diagnostics.some(({ severity }) => severity === 'error')
  const all = listRestrictions(policy)
  const found = files.map(({ level, path }) => {
    const own = all.filter(({ place }) => place.startsWith(`${path}:`))
    const said = own.map(({ key, value, place }) => `${key}: ${value} (line ${place.slice(path.length + 1)})`)
    return ok(
      'policy',
      `${path} (${level}) ${said.length === 0 ? 'contains no other restrictions' : `sets ${said.join('; ')}`}`,
    )
  })
  const problems = diagnostics.map(({ severity, path, line, message, fix }) => {
    const text = `${path}${line === undefined ? '' : `:${line}`}: ${message}`
    if (severity !== 'error') return warn('policy', text, fix)
    return fail(
      'policy',
      text,
      `${fix === undefined ? 'Fix the file' : fix.replace(/\.$/, '')}. Until then, no session can run.`,
    )
  })
  return isBroken ? problems : [...found, ...problems]
}

/** The isolation of commands. */
async function checkSandbox(env: NodeJS.ProcessEnv): Promise<Check> {
  const { findSandbox } = await import('@cadre/gate')
  const sandbox = await findSandbox(env)
  if (sandbox.kind === 'bubblewrap')
    return ok(
      'sandbox',
      `commands run under bubblewrap (${sandbox.program}): they can write only to the workspace`,
    )
  return warn(
    'sandbox',
    `commands run without a sandbox: ${sandbox.reason}. Only listed read-only commands and your own rules run without approval, and Cadre reverts changes to protected files.`,
    process.platform === 'linux'
      ? 'Install bubblewrap (apt install bubblewrap, dnf install bubblewrap, apk add bubblewrap); if it is installed, allow unprivileged user namespaces.'
      : undefined,
  )
}
