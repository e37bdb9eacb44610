import { readFileSync } from 'node:fs'
import path from 'node:path'
import { type AgentDefinition, CadreError, didYouMean } from '@cadre/core'
import { showDiagnostic } from '@cadre/disk'
import { readAgentText } from '../load/read-agent-text.ts'
import type { PlacedFile } from '../write/place-files.ts'
import type { Team, TeamSummary } from './built-in-team.ts'
import { readManifest, type TeamManifest, teamNames, teamsFolder } from './team-manifest.ts'

/** The file of a team's agent. */
export interface TeamFile {
  readonly agent: AgentDefinition
  /** The file name, without folders. */
  readonly file: string
  readonly text: string
}

/** Returns all teams with their descriptions. Reads no agents. */
export function listTeams(): readonly TeamSummary[] {
  return teamNames().map((name) => {
    const { description, entry, example, variants } = readManifest(name)
    return {
      name,
      description,
      entry,
      example,
      variants: variants.map((variant) => ({ name: variant.name, description: variant.description })),
    }
  })
}

/**
 * Loads a team with its agents. `name` may include the variant: `coordinator/advanced`. Throws a `CadreError` that lists
 * the known ones if the team or variant does not exist.
 */
export function loadTeam(name: string, variant?: string): Team {
  const { manifest, chosen } = choose(name, variant)
  return {
    name: manifest.name,
    description: manifest.description,
    entry: manifest.entry,
    variant: chosen.name,
    hooks: manifest.hooks,
    agents: readFiles(manifest, chosen).map(({ agent }) => agent),
    variants: manifest.variants.map((other) => other.name),
    ...(manifest.effects && { effects: manifest.effects }),
  }
}

/** Returns the files of a team, to be written elsewhere. Throws like `loadTeam`. */
export function readTeamFiles(name: string, variant?: string): readonly TeamFile[] {
  const { manifest, chosen } = choose(name, variant)
  return readFiles(manifest, chosen)
}

/** Returns the other files of a team for the home. Throws like `loadTeam`. */
export function readTeamHome(name: string): readonly PlacedFile[] {
  const { manifest } = choose(name, undefined)
  return Object.entries(manifest.home).map(([target, file]) => ({
    path: target,
    text: readFileSync(path.join(teamsFolder(), manifest.name, file), 'utf8'),
  }))
}

type Variant = TeamManifest['variants'][number]

function choose(name: string, variant: string | undefined): { manifest: TeamManifest; chosen: Variant } {
  const [team = '', ...rest] = name.split('/')
  const manifest = readManifest(team)
  const wanted = variant ?? (rest.length === 0 ? undefined : rest.join('/'))
  const names = manifest.variants.map((other) => other.name)
  const chosen = manifest.variants.find((other) => wanted === undefined || other.name === wanted)
  if (chosen !== undefined) return { manifest, chosen }
  const hint = didYouMean(wanted ?? '', names) || '.'
  throw new CadreError(
    'not_found',
    `team ${team} has no variant ${JSON.stringify(wanted)}${hint} Known: ${names.join(', ')}.`,
  )
}

function readFiles(manifest: TeamManifest, variant: Variant): TeamFile[] {
  const place = variant === manifest.variants[0] ? manifest.name : `${manifest.name}/${variant.name}`
  return variant.files.map((name) => {
    const file = path.join(teamsFolder(), manifest.name, name)
    const text = readFileSync(file, 'utf8')
    const { agent, diagnostics } = readAgentText({ path: file, text })
    if (agent === undefined) throw new Error(`unreachable: ${diagnostics.map(showDiagnostic).join(' ')}`)
    const source = { path: `built-in:${place}/${agent.name}`, dialect: 'built-in' }
    return { agent: { ...agent, source }, file: path.basename(name), text }
  })
}
