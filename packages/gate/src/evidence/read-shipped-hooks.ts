import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { artifactFolder } from '../roles/artifact-of.ts'

/** A hook file to be copied into a project. */
export interface ShippedFile {
  /** Relative to the project, with `/`. */
  readonly path: string
  readonly text: string
}

/**
 * The hooks that enforce the roles of the supervisor team in other hosts: a configuration, its scripts, and a git-ignored
 * folder for artifacts. Found by the name of this package, even when the code is bundled.
 */
export function readShippedHooks(): readonly ShippedFile[] {
  const names = readdirSync(shippedFolder(), { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /\.(?:json|mjs)$/.test(name) && !name.startsWith('harness/'))
    // Scripts come first: a configuration without them would deny every call.
    .sort((a, b) => Number(a.endsWith('.json')) - Number(b.endsWith('.json')) || (a < b ? -1 : 1))
  return [
    ...names.map((name) => ({
      path: `.github/hooks/${name}`,
      text: readFileSync(path.join(shippedFolder(), name), 'utf8'),
    })),
    { path: `${artifactFolder}/.gitignore`, text: '*\n!.gitignore\n' },
  ]
}

/** The script that tests the hooks in a project. */
export function readHookHarness(): ShippedFile {
  const name = 'test-hook-artifacts.mjs'
  return {
    path: `scripts/${name}`,
    text: readFileSync(path.join(shippedFolder(), 'harness', name), 'utf8'),
  }
}

function shippedFolder(): string {
  return path.join(path.dirname(createRequire(import.meta.url).resolve('@cadre/gate/package.json')), 'hooks')
}
