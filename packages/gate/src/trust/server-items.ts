import { createHash } from 'node:crypto'
import path from 'node:path'
import type { FolderItem } from './folder-item.ts'
import { scriptsNamedIn } from './scripts-named-in.ts'

/** An MCP server that belongs to a folder: a file in it has its configuration, or it runs a file in it. */
export interface FolderServer {
  readonly name: string
  /** The file that configures it, and its agent if it is an agent file. */
  readonly file: string
  readonly agent?: string | undefined
  /** The whole command line or address, for people. */
  readonly shown: string
  /** The configuration as text. Trust is bound to it. */
  readonly content: string
  /** The command and its arguments as configured. Empty for an address. */
  readonly words: readonly string[]
  /** The folder that it starts in. */
  readonly cwd: string
}

/** Files that programs read although no command line names them. */
const unnamed: readonly (readonly [program: RegExp, files: readonly string[]])[] = [
  [/^(?:npm|npx|pnpm|pnpx|yarn|bun|bunx|deno)$/, ['package.json', '.npmrc', 'bunfig.toml', 'deno.json']],
  [/^(?:make|gmake)$/, ['Makefile', 'makefile', 'GNUmakefile']],
  [/^just$/, ['justfile', 'Justfile']],
  [/^task$/, ['Taskfile.yml', 'Taskfile.yaml']],
  [/^(?:python[\d.]*|uv|uvx|pipx|poetry|hatch|pdm)$/, ['pyproject.toml', 'setup.py', 'uv.toml']],
  [/^(?:cargo)$/, ['Cargo.toml', 'build.rs']],
  [
    /^(?:docker|docker-compose|podman)$/,
    ['docker-compose.yml', 'docker-compose.yaml', 'compose.yml', 'compose.yaml', 'Dockerfile'],
  ],
  [/^(?:gradle|gradlew)$/, ['build.gradle', 'build.gradle.kts']],
  [/^(?:mvn|mvnw)$/, ['pom.xml']],
]

/**
 * What a person must trust before these servers start: the configuration of each, and the files in the project that its command line names
 * or that its program is known to read, with their current content.
 */
export function serverItems(servers: readonly FolderServer[], project: string): FolderItem[] {
  return servers.flatMap((server) => [itemOf(server), ...filesOf(server, project)])
}

function itemOf({ name, file, agent, shown, content }: FolderServer): FolderItem {
  const sha256 = createHash('sha256').update(content).digest('hex')
  const of = agent === undefined ? '' : ` of the agent ${agent}`
  return {
    path: `${file}#mcp:${agent === undefined ? '' : `${agent}/`}${name}`,
    sha256,
    file,
    what: `starts the MCP server ${name}${of}: ${shown}`,
  }
}

function filesOf({ name, words, cwd }: FolderServer, project: string): FolderItem[] {
  const programs = words.map((word) => path.basename(word))
  const more = unnamed.flatMap(([pattern, files]) =>
    programs.some((program) => pattern.test(program)) ? files : [],
  )
  const all = [...words, ...valuesOf(words), ...more].flatMap((word) => [
    path.resolve(cwd, word),
    path.resolve(project, word),
  ])
  return scriptsNamedIn([...new Set(all)], project).map((item) => ({
    ...item,
    file: item.path,
    what: `is run by the MCP server ${name}`,
  }))
}

/** `--config=x.js` names `x.js`. */
function valuesOf(words: readonly string[]): string[] {
  return words.flatMap((word) => {
    const at = word.indexOf('=')
    return at < 0 ? [] : [word.slice(at + 1)]
  })
}
