import { listTeams, loadAgents, loadTeam, type TeamSummary } from '@cadre/agents'
import { CadreError } from '@cadre/core'
import { type Diagnostic, showDiagnostic } from '@cadre/disk'
import { agentPaths, homeOf, projectOf } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { readLine } from '../../run/ask-line.ts'
import { commandName } from '../../run/command-name.ts'
import { repeatedFlags } from '../../run/repeated-flags.ts'
import { placeTeamFiles, type TeamFileStatus } from './place-team-files.ts'
import { type InitTarget, planTeamFiles } from './plan-team-files.ts'
import { trustInitHooks } from './trust-init-hooks.ts'

export interface InitFlags {
  readonly team?: string
  readonly variant?: string
  readonly to?: InitTarget
  readonly home?: string
  readonly dryRun?: boolean
  readonly force?: boolean
  readonly json?: boolean
}

/** `cadre init`. */
export async function initProject(io: Io, flags: InitFlags): Promise<ExitCode> {
  rejectDoubtful(flags)
  const wanted = flags.team ?? (await chooseTeam(io, flags))
  if (wanted === undefined) return exitCodes.done
  const team = loadTeam(wanted, flags.variant)
  const home = homeOf(io, flags.home)
  const project = projectOf(io.cwd)
  const dryRun = flags.dryRun === true
  const plan = await planTeamFiles({ team, home: home.path, project, to: flags.to })
  const files = placeTeamFiles({ plan, home, project, force: flags.force === true, dryRun })
  const loaded = dryRun ? undefined : await loadAgents(agentPaths(io, home, io.cwd))
  if (loaded !== undefined) trustInitHooks(io, { project, files, mixed: plan.mixed, agents: loaded.agents })
  const notices = [...plan.notes, ...faultsIn(files, loaded?.diagnostics ?? [])]
  const example = listTeams().find(({ name }) => name === team.name)?.example
  const agent = plan.starts ? '' : ` --agent ${team.entry}`
  const next = `${commandName(io)} run${agent}${repeatedFlags(flags)} ${JSON.stringify(example)}`
  if (flags.json) {
    const { name, variant, entry } = team
    io.stdout.write(
      `${JSON.stringify({ type: 'init', team: name, variant, entry, dryRun, files, notices, next })}\n`,
    )
    return exitCodes.done
  }
  const width = Math.max(...files.map(({ status }) => status.length))
  const lines = files.map(({ path, status }) => `  ${status.padEnd(width)}  ${cleanLine(path)}`)
  io.stdout.write(
    `${dryRun ? 'Files that would be written for the team' : 'Added the team'} ${wanted}:\n${lines.join('\n')}\n`,
  )
  const policy = files.find(({ path }) => path === home.at('storage', 'policy.yaml'))
  const allowed = Object.entries(team.effects ?? {}).flatMap(([effect, permission]) =>
    permission === 'allow' ? [effect] : [],
  )
  if (policy?.status === 'created' && allowed.length > 0 && !dryRun)
    io.stdout.write(
      `\nAll agents in this project can now ${allowed.join(' and ')} in the workspace without approval. To be asked, edit ${cleanLine(policy.path)}.\n`,
    )
  for (const notice of notices) io.stderr.write(`cadre: ${cleanLine(notice)}\n`)
  // A team with message routes can run unattended.
  const watches = files.some(({ path }) => path === home.at('inbox', 'routes.yaml'))
  const up = `${commandName(io)} up${repeatedFlags(flags)}`
  const more = watches ? `or run the daemon and work with the files in its home directory:\n  ${up}\n` : ''
  const elsewhere = plan.start === undefined ? '' : `or, in ${plan.start.program}:\n  ${plan.start.command}\n`
  if (!dryRun) io.stdout.write(`\nYou can edit these files. Next:\n  ${next}\n${more}${elsewhere}`)
  return exitCodes.done
}

function rejectDoubtful({ team, variant }: InitFlags): void {
  if (variant === undefined) return
  if (team === undefined) throw new CadreError('usage', '--variant requires --team.')
  if (team.includes('/'))
    throw new CadreError('usage', `--team ${team} already names a variant. Remove --variant ${variant}.`)
}

/** Returns problems of the new files in their place: mostly that another file for the same agent takes precedence. */
function faultsIn(files: readonly TeamFileStatus[], diagnostics: readonly Diagnostic[]): string[] {
  return diagnostics
    .filter(({ path, severity }) => severity !== 'info' && files.some((file) => file.path === path))
    .map(showDiagnostic)
}

/** Shows the teams, and asks which one to use if there is a terminal. */
async function chooseTeam(io: Io, { json }: InitFlags): Promise<string | undefined> {
  const teams = listTeams()
  if (json) {
    io.stdout.write(`${JSON.stringify({ type: 'teams', teams })}\n`)
    return undefined
  }
  io.stdout.write(`${teams.map(teamText).join('\n')}\n`)
  if (io.stdin.isTTY !== true || !io.stdout.isTTY) {
    io.stdout.write(`Add one to this project with: ${commandName(io)} init --team NAME\n`)
    return undefined
  }
  const said = await readLine(io, 'Team to add (Enter for none): ', {
    signal: new AbortController().signal,
    interrupt: () => {},
  })
  return said === '' ? undefined : said
}

function teamText({ name, description, entry, variants }: TeamSummary): string {
  const several = variants.map((variant) => `    ${name}/${variant.name}: ${variant.description}\n`)
  return `${name}\n  ${description}.\n  Starts with ${entry}.\n${variants.length > 1 ? several.join('') : ''}`
}
