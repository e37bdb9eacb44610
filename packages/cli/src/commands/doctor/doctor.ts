import { openPolicy } from '@cadre/home'
import { homeOf, loadPolicyOf, untrustedIn } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { createStyle, type Style, wantsColour } from '../../output/style.ts'
import type { Check } from './check.ts'
import { checkGate } from './check-gate.ts'
import { checkHome } from './check-home.ts'
import { checkModel } from './check-model.ts'
import { checkPolicy } from './check-policy.ts'
import { checkPrograms } from './check-programs.ts'
import { checkSandbox } from './check-sandbox.ts'
import { checkSettings } from './check-settings.ts'

export interface DoctorFlags {
  readonly home?: string
  readonly model?: string
  readonly json?: boolean
}

/** `cadre doctor`. */
export async function doctor(io: Io, flags: DoctorFlags): Promise<ExitCode> {
  const home = homeOf(io, flags.home)
  const homeTrusted = (await untrustedIn(io, home)).length === 0
  const loaded = await loadPolicyOf(io, home, homeTrusted)
  // Of a policy that cannot be understood nothing can be said about the rest.
  const policy = loaded.diagnostics.some(({ severity }) => severity === 'error') ? openPolicy : loaded
  const { checks: settled, settings } = await checkSettings(io, home, { policy, homeTrusted })
  const [programs, model, sandbox] = await Promise.all([
    checkPrograms(),
    checkModel(io, settings, policy, flags.model),
    checkSandbox(io.env),
  ])
  const checks: Check[] = [
    ...programs,
    ...checkHome(home),
    ...checkPolicy(loaded),
    ...settled,
    ...checkGate(io, home),
    ...model,
    sandbox,
  ]
  const usable = checks.every(({ status }) => status !== 'fail')
  if (flags.json) io.stdout.write(`${JSON.stringify({ type: 'doctor', usable, checks })}\n`)
  else {
    const style = createStyle(wantsColour(io.stdout, io.env))
    const lines = checks.map((check) => lineOf(check, style))
    io.stdout.write(`${lines.join('\n')}\n`)
  }
  return usable ? exitCodes.done : exitCodes.failed
}

function lineOf({ name, status, message, fix }: Check, style: Style): string {
  const colour = { ok: style.green, warn: style.yellow, fail: style.red }
  const said = cleanText(message).replaceAll('\n', `\n${' '.repeat(20)}`)
  const todo = fix === undefined ? '' : `\n${' '.repeat(20)}${style.dim(cleanText(fix))}`
  return `${colour[status](status.padEnd(4))}  ${name.padEnd(13)} ${said}${todo}`
}
