import { type AgentFile, type LoadedAgents, shownPath } from '@cadre/agents'
import type { AgentDefinition } from '@cadre/core'
import { showDiagnostic } from '@cadre/disk'
import { type AvailableAgents, agentRows, fileOf, findAvailableAgents, otherBuiltIns } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { availableWidth, textTable } from '../../output/text-table.ts'
import { truncateText } from '../../output/text-width.ts'
import { wrapForTerminal } from '../../output/wrap-for-terminal.ts'
import { copilotModes } from './copilot-modes.ts'

/** `cadre agents list`. */
export async function listAgents(
  io: Io,
  flags: { readonly home?: string; readonly team?: string; readonly json?: boolean },
): Promise<ExitCode> {
  const here = await findAvailableAgents(io, flags)
  const { registry, notices } = here
  const modes = await copilotModes(io, here.config)
  const loaded = registry.loaded()
  for (const notice of notices) io.stderr.write(`cadre: ${cleanLine(notice)}\n`)
  const broken = brokenIn(io, loaded)
  const more = otherBuiltIns(loaded, here)
  if (flags.json) {
    const rows = [
      ...agentRows(here),
      ...modes.map(({ name, kind, description }) => ({
        name,
        source: 'copilot-ls',
        dialect: 'mode',
        kind,
        description,
        userInvocable: false,
        modelInvocable: false,
        status: 'ok',
        entry: false,
      })),
    ]
    io.stdout.write(`${JSON.stringify(rows)}\n`)
    for (const line of broken) io.stderr.write(`cadre: ${line}\n`)
    return exitCodes.done
  }
  if (loaded.agents.length === 0)
    io.stdout.write(
      `No file defines an agent here yet. "cadre lint --help" lists the folders that Cadre searches.\n`,
    )
  else {
    const rows = loaded.agents.map((agent) => rowOf(io, agent, loaded.files, here))
    const head = ['AGENT', 'FROM', 'SOURCE', 'MODEL', 'SHADOWS', 'DESCRIPTION']
    io.stdout.write(textTable(head, rows, availableWidth(io.stdout)))
    if (loaded.agents.some(({ name }) => name === here.entry))
      io.stdout.write('\n* entry agent: runs when you do not name an agent\n')
  }
  const lines = more.map(({ team, agents }) => {
    const names = agents.map(({ name }) => name).join(', ')
    return team === undefined ? `  ${names}\n` : `  ${names} (team ${team})\n`
  })
  if (lines.length > 0)
    io.stdout.write(
      wrapForTerminal(io.stdout, `\nBuilt-in agents; run one with --agent NAME:\n${lines.join('')}`),
    )
  const ofCopilot = modes.map(
    ({ name, description }) => `  ${cleanLine(name)}: ${truncateText(cleanLine(description), maxWidth)}\n`,
  )
  if (modes.length > 0)
    io.stdout.write(
      `\nCopilot modes; add one to a model name, as in copilot-ls:gpt-5@Ask:\n${ofCopilot.join('')}`,
    )
  const off = loaded.agents.flatMap((agent) => here.refusal(agent) ?? [])
  if (off.length > 0)
    io.stdout.write(`\nDisabled by a policy:\n${off.map((line) => `  ${cleanLine(line)}\n`).join('')}`)
  if (broken.length > 0)
    io.stdout.write(`\nFiles without a valid agent:\n${broken.map((line) => `  ${line}\n`).join('')}`)
  return exitCodes.done
}

const maxWidth = 80

function rowOf(io: Io, agent: AgentDefinition, files: readonly AgentFile[], here: AvailableAgents): string[] {
  const { name, description, source, models = [] } = agent
  const file = fileOf(agent, files)
  const shadows = (file?.shadows ?? []).map((place) =>
    place === 'built-in' ? place : shownPath(io.cwd, place),
  )
  const mark = name === here.entry ? ' *' : here.refusal(agent) === undefined ? '' : ' (off)'
  return [
    `${name}${mark}`,
    source?.dialect ?? 'built-in',
    source === undefined ? '' : shownPath(io.cwd, source.path),
    models[0] ?? '',
    shadows.join(', '),
    truncateText(cleanLine(description), maxWidth),
  ].map(cleanLine)
}

/** Files without a valid agent, with reasons. Excludes files that another one takes precedence over. */
function brokenIn(io: Io, { agents, files }: LoadedAgents): string[] {
  const used = new Set(agents.map(({ name }) => name))
  return files
    .filter(
      ({ status, agent = '', shadowedBy }) =>
        status === 'failed' || (shadowedBy === undefined && !used.has(agent)),
    )
    .map(({ path, status, agent, diagnostics }) => {
      if (status !== 'failed') return cleanLine(`${shownPath(io.cwd, path)}: ${agent} is disabled.`)
      const reason = diagnostics.find(({ severity }) => severity === 'error') ?? diagnostics[0]
      const shown = shownPath(io.cwd, path)
      return cleanLine(reason === undefined ? shown : showDiagnostic({ ...reason, path: shown }))
    })
}
