import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hookLocations } from '@cadre/gate'
import { policyHooks, projectOf, type RunParts, userPaths } from '@cadre/runtime'
import type { Io } from '../../io.ts'

/** Digests of everything that must be the same on all workers of a place. */
export interface PartsDigest {
  readonly agents: string
  readonly policy: string
  readonly hooks: string
  readonly tools: string
}

export function partsDigest(io: Io, parts: RunParts, workspace: string): PartsDigest {
  const { home, policy, agents, tools } = parts
  const userHome = userPaths(io.env).home
  const hooks = hookLocations({ project: projectOf(workspace), userHome, policyFolder: policyHooks })
  const definitions = agents
    .list()
    .map(({ source: _, ...definition }) => JSON.stringify(definition))
    .toSorted()
  return {
    agents: digest(definitions),
    policy: digest([
      ...policy.files.map(({ level, path }) => `${level}\n${textOf(path)}`),
      textOf(home.at('storage', 'terminal-cmd-allowlist.yaml')),
    ]),
    hooks: digest(hooks.map(({ level, path }) => `${level}\n${textOf(path)}`)),
    tools: digest(tools.map(({ name }) => name).toSorted()),
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // A missing file is a state like any other.
    return ''
  }
}

function digest(texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 16)
}
