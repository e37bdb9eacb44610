import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { CadreError, didYouMean } from '@cadre/core'
import { readYaml } from '@cadre/disk'
import type { Effects } from '@cadre/home'

/** `team.yaml`: the description of a team, and the files of its variants. */
export interface TeamManifest {
  readonly name: string
  readonly description: string
  readonly entry: string
  readonly example: string
  readonly effects?: Partial<Effects>
  /** It includes hooks that enforce its roles in other programs. */
  readonly hooks: boolean
  /** The team's files for the home, by their target path. */
  readonly home: { readonly [target: string]: string }
  /** The default first. Files are relative to the team's folder. */
  readonly variants: readonly {
    readonly name: string
    readonly description: string
    readonly files: readonly string[]
  }[]
}

/**
 * The folder of the teams. Found by the name of this package, which resolves to the same folder from the sources, the
 * compiled files and a bundle.
 */
export function teamsFolder(): string {
  return path.join(
    path.dirname(createRequire(import.meta.url).resolve('@cadre/agents/package.json')),
    'teams',
  )
}

/** The teams of this version. */
export function teamNames(): readonly string[] {
  return readdirSync(teamsFolder(), { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
    .sort()
}

/** Throws for an unknown name, and lists the known ones. */
export function readManifest(name: string): TeamManifest {
  const names = teamNames()
  if (!names.includes(name)) {
    const hint = didYouMean(name, names) || '.'
    throw new CadreError(
      'not_found',
      `there is no team named ${JSON.stringify(name)}${hint} Known: ${names.join(', ')}.`,
    )
  }
  const file = path.join(teamsFolder(), name, 'team.yaml')
  const read = readYaml({ text: readFileSync(file, 'utf8'), path: file })
  if (read.kind === 'broken') throw new Error(`unreachable: ${file} cannot be read`)
  // A shipped file, and a test checks its shape for every team.
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
