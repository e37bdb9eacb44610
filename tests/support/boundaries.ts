import { isBuiltin } from 'node:module'
import path from 'node:path'
import { readModule } from './module-shape.ts'

const onHome = ['core', 'disk', 'home']
const below = [...onHome, 'tasks', 'journal', 'knowledge', 'agents', 'workspaces', 'gate']

/** The packages that a package may import. biome.json has the same rules for editors. */
export const allowed: Readonly<Record<string, readonly string[]>> = {
  core: [],
  testing: ['core'],
  api: ['core'],
  backends: ['core'],
  disk: ['core'],
  home: ['core', 'disk'],
  tasks: onHome,
  journal: onHome,
  knowledge: ['core', 'disk'],
  telemetry: ['core'],
  restate: ['core', 'disk'],
  mcp: onHome,
  agents: onHome,
  workspaces: onHome,
  gate: [...onHome, 'tasks', 'journal', 'knowledge', 'agents'],
  tools: [...onHome, 'tasks', 'knowledge', 'gate'],
  channels: [...onHome, 'gate', 'tools'],
  runtime: [...below.filter((name) => name !== 'tasks'), 'tools', 'channels', 'backends', 'mcp', 'telemetry'],
  replay: [...below, 'runtime'],
  // Previews of changes, the port for the files of an editor, and the servers that an editor hands over.
  protocols: [...below, 'tools', 'mcp', 'runtime'],
  // Previews of the changes that an approval is about.
  server: [...below, 'api', 'tools', 'channels', 'runtime'],
  cli: [
    ...below,
    'api',
    'tools',
    'backends',
    'runtime',
    'server',
    'mcp',
    'protocols',
    'replay',
    'restate',
    'testing',
  ],
  'settings-page': [],
  // Runs in a browser: the fold and the types of the API.
  web: ['core', 'api'],
  vscode: [...below.filter((name) => name !== 'workspaces'), 'tools', 'backends', 'runtime', 'settings-page'],
}

const forTests = ['@cadre/testing', 'vitest', 'fast-check', 'smtp-server']

/** The public entry points of a package. */
const entries = ['src/index.ts', 'src/client.ts', 'src/testing.ts']

export interface Manifest {
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
}

/** Returns the faults of one source file; `file` is relative to the package's folder, such as `src/index.ts`. */
export function faultsOfSource(name: string, manifest: Manifest, file: string, text: string): string[] {
  const isTest = /\.(test|spec-helpers)\.ts$/.test(file)
  const module = readModule(file, text)
  const faults = module.imports.map((target) => faultOfImport(target))
  if (module.hasDefaultExport) faults.push('has a default export')
  if (module.hasReExport && !entries.includes(file))
    faults.push(`re-exports: only ${entries.join(' and ')} may`)
  if (module.hasComputedImport && name === 'core') faults.push('imports a computed module')
  return faults.filter((fault) => fault !== undefined).map((fault) => `${name}/${file} ${fault}`)

  function faultOfImport(target: string): string | undefined {
    if (target.startsWith('.')) {
      const reached = path.posix.join(path.posix.dirname(file), target)
      const helperOf = isTest ? /^\.\.\/(\w+)\/src\/.*\.spec-helpers\.ts$/.exec(reached)?.[1] : undefined
      if (helperOf !== undefined && allowed[name]?.includes(helperOf)) return undefined
      return reached.startsWith('src/') ? undefined : `reaches outside its sources: ${target}`
    }
    if (isTest && (forTests.includes(target) || target.startsWith('node:'))) return undefined
    if (name === 'core') return `imports ${target}: core imports nothing but itself`
    if (isBuiltin(target))
      return target.startsWith('node:') ? undefined : `writes node:${target} as ${target}`
    const dependency = packageOf(target)
    if (dependency === `@cadre/${name}`) return `imports its own package by name`
    const sibling = siblingOf(dependency)
    if (sibling !== undefined && !allowed[name]?.includes(sibling)) return `may not import ${target}`
    if (dependency === 'vscode' && name === 'vscode') return undefined
    return manifest.dependencies?.[dependency] ? undefined : `imports ${target}, which is no dependency of it`
  }
}

/** Faults of a package's declared dependencies. */
export function faultsOfManifest(name: string, manifest: Manifest): string[] {
  const rules = allowed[name]
  if (rules === undefined) return [`${name} has no place in the direction of dependencies`]
  return Object.entries(manifest.dependencies ?? {}).flatMap(([dependency, version]) => {
    const sibling = siblingOf(dependency)
    if (name === 'core') return [`core depends on ${dependency}: it may depend on nothing`]
    if (sibling !== undefined && !rules.includes(sibling)) return [`${name} may not depend on ${dependency}`]
    if (sibling !== undefined && version !== manifest.version)
      return [`${name}: ${dependency} is another version`]
    return /^\d/.test(version) ? [] : [`${name}: ${dependency} is not pinned to one version`]
  })
}

function packageOf(target: string): string {
  return target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/')
}

function siblingOf(dependency: string): string | undefined {
  return dependency.startsWith('@cadre/') ? dependency.slice('@cadre/'.length) : undefined
}

/** Entry points, which several folders have. */
const sharedNames = ['index.ts', 'main.tsx']

/** Returns one text for each name that several source files have. A search for a name must find exactly one file. */
export function findClashingNames(files: readonly string[]): string[] {
  const byName = new Map<string, string[]>()
  for (const file of files) {
    const name = path.posix.basename(file)
    if (sharedNames.includes(name) || name.includes('.test.')) continue
    byName.set(name, [...(byName.get(name) ?? []), file])
  }
  return [...byName]
    .filter(([, same]) => same.length > 1)
    .map(([name, same]) => `${name}: rename all but one of ${same.toSorted().join(', ')}`)
}
