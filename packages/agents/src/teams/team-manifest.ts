import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { CadreError, didYouMean } from '@cadre/core'
import { readYaml } from '@cadre/disk'
import type { Effects } from '@cadre/home'

/** `team.yaml`: what a team is for, and which files each of its forms consists of. */
export interface TeamManifest {
  readonly name: string
  readonly description: string
  readonly entry: string
  readonly example: string
  readonly effects?: Partial<Effects>
  /** It comes with hooks that hold other programs to its roles. */
  readonly hooks: boolean
  /** Files of the team that belong into the home, by where they go there. */
  readonly home: { readonly [target: string]: string }
  /** The default first. Files are relative to the team's folder. */
  readonly variants: readonly {
    readonly name: string
    readonly description: string
    readonly files: readonly string[]
  }[]
}

/**
 * Where the teams lie. Found through this package's own name, which means the same folder from the sources, from what was
 * compiled, and from a bundle that lies elsewhere.
 */
export function teamsFolder(): string {
  return path.join(
    path.dirname(createRequire(import.meta.url).resolve('@cadre/agents/package.json')),
    'teams',
  )
}

/** The teams that come with this version. */
export function teamNames(): readonly string[] {
  return readdirSync(teamsFolder(), { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
    .sort()
}

/** Rejects a name that no team has, with those there are. */
export function readManifest(name: string): TeamManifest {
  const names = teamNames()
  if (!names.includes(name)) {
    const hint = didYouMean(name, names) || '.'
    throw new CadreError(
      'not_found',
      `there is no team named ${JSON.stringify(name)}${hint} Known: ${names.join(', ')}`,
    )
  }
  const file = path.join(teamsFolder(), name, 'team.yaml')
  const read = readYaml({ text: readFileSync(file, 'utf8'), path: file })
  if (read.kind === 'broken') throw new Error(`unreachable: ${file} cannot be read`)
  // Ours, and held to this shape by a test of every team.
  const {
    description,
    entry,
    example,
    effects,
    hooks = false,
    home = {},
    variants,
  } = read.root.value as unknown as ManifestText
  return {
    name,
    description,
    entry,
    example,
    ...(effects && { effects }),
    hooks,
    home,
    variants: Object.entries(variants).map(([variant, text]) => ({ name: variant, ...text })),
  }
}

interface ManifestText {
  readonly description: string
  readonly entry: string
  readonly example: string
  readonly effects?: Partial<Effects>
  readonly hooks?: boolean
  readonly home?: { readonly [target: string]: string }
  readonly variants: {
    readonly [name: string]: { readonly description: string; readonly files: readonly string[] }
  }
}
