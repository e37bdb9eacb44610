import type { AgentDefinition } from '@cadre/core'
import { type AgentFile, type LoadedAgents, showDiagnostic, shownPath } from '@cadre/files'
import { fileOf } from '../agents/file-of.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { cleanLine } from '../output/clean-text.ts'
import { roomIn, textTable } from '../output/text-table.ts'
import { cutText } from '../output/text-width.ts'
import { type AgentsHere, agentsHere } from '../runtime/agents-here.ts'

/** `cadre agents list`. */
export async function listAgents(
  io: Io,
  flags: { readonly home?: string; readonly team?: string; readonly json?: boolean },
): Promise<ExitCode> {
  const here = await agentsHere(io, flags)
  const { registry, notices } = here
  const loaded = registry.loaded()
  for (const notice of notices) io.stderr.write(`cadre: ${cleanLine(notice)}\n`)
  const broken = brokenIn(io, loaded)
  if (flags.json) {
    io.stdout.write(
      `${JSON.stringify(loaded.agents.map((agent) => forMachines(agent, loaded.files, here)))}\n`,
    )
    for (const line of broken) io.stderr.write(`cadre: ${line}\n`)
    return exitCodes.done
  }
  if (loaded.agents.length === 0)
    io.stdout.write(
      `There are no agents here yet; see \`cadre lint --help\` for where they are looked for.\n`,
    )
  else {
    const rows = loaded.agents.map((agent) => rowOf(io, agent, loaded.files, here))
    const head = ['AGENT', 'FROM', 'SOURCE', 'MODEL', 'SHADOWS', 'DESCRIPTION']
    io.stdout.write(textTable(head, rows, roomIn(io.stdout)))
    if (loaded.agents.some(({ name }) => name === here.entry))
      io.stdout.write('\n* starts when nobody is named\n')
  }
  const off = loaded.agents.flatMap((agent) => here.refusal(agent) ?? [])
  if (off.length > 0)
    io.stdout.write(`\nSwitched off by a policy:\n${off.map((line) => `  ${cleanLine(line)}\n`).join('')}`)
  if (broken.length > 0)
    io.stdout.write(`\nNo agent came out of these:\n${broken.map((line) => `  ${line}\n`).join('')}`)
  return exitCodes.done
}

function forMachines(agent: AgentDefinition, files: readonly AgentFile[], here: AgentsHere): object {
  const { name, description, source, models, userInvocable = true, modelInvocable = true } = agent
  const file = fileOf(agent, files)
  const refused = here.refusal(agent)
  return {
    name,
    source: source?.path ?? 'built-in',
    dialect: source?.dialect ?? 'built-in',
    ...(file?.shadows && { shadows: file.shadows }),
    description,
    ...(models && { models }),
    userInvocable,
    modelInvocable,
    status: file?.status ?? 'ok',
    entry: name === here.entry,
    ...(refused !== undefined && { refused }),
  }
}

const widest = 80

function rowOf(io: Io, agent: AgentDefinition, files: readonly AgentFile[], here: AgentsHere): string[] {
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
    cutText(cleanLine(description), widest),
  ].map(cleanLine)
}

/** Files no agent came out of, each with the reason. One that gives way to another is not one of them. */
function brokenIn(io: Io, { agents, files }: LoadedAgents): string[] {
  const used = new Set(agents.map(({ name }) => name))
  return files
    .filter(
      ({ status, agent = '', shadowedBy }) =>
        status === 'failed' || (shadowedBy === undefined && !used.has(agent)),
    )
    .map(({ path, status, agent, diagnostics }) => {
      if (status !== 'failed') return cleanLine(`${shownPath(io.cwd, path)}: ${agent} is switched off.`)
      const reason = diagnostics.find(({ severity }) => severity === 'error') ?? diagnostics[0]
      const shown = shownPath(io.cwd, path)
      return cleanLine(reason === undefined ? shown : showDiagnostic({ ...reason, path: shown }))
    })
}
