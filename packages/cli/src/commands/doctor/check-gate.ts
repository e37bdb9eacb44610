import { type Diagnostic, showDiagnostic } from '@cadre/disk'
import { findHooks, openAllowlists } from '@cadre/gate'
import type { Home, TrustItem } from '@cadre/home'
import { findInstructionProblems, policyHooks, projectOf, userPaths } from '@cadre/runtime'
import type { Io } from '../../io.ts'
import { formatCount } from '../../output/numbers.ts'
import { type Check, fail, ok, warn } from './check.ts'

/** Checks hooks and allowlists. Trust is checked elsewhere. */
export function checkGate(io: Io, home: Home): Check[] {
  const { home: userHome, allowlist } = userPaths(io.env)
  const trusted = (_item: TrustItem) => true
  const { hooks, diagnostics } = findHooks({
    project: projectOf(io.cwd),
    userHome,
    policyFolder: policyHooks,
    trusted,
  })
  const lists = openAllowlists([
    { path: home.at('storage', 'terminal-cmd-allowlist.yaml'), trusted },
    { path: allowlist },
  ]).diagnostics()
  const found =
    hooks.length === 0 ? 'none' : `${formatCount(hooks.length, 'hook')}; list them with "cadre hooks list"`
  return [
    ...(diagnostics.some(isFault) ? [] : [ok('hooks', found)]),
    ...faults('hooks', diagnostics),
    ...faults('commands', lists),
    ...faults('instructions', findInstructionProblems({ folder: projectOf(io.cwd), userHome })),
  ]
}

function faults(name: string, diagnostics: readonly Diagnostic[]): Check[] {
  return diagnostics
    .filter(isFault)
    .map((diagnostic) => (diagnostic.severity === 'error' ? fail : warn)(name, showDiagnostic(diagnostic)))
}

function isFault({ severity }: Diagnostic): boolean {
  return severity !== 'info'
}
