import path from 'node:path'
import type { ServerConfig } from './server-config.ts'

const shells = /^(?:sh|bash|dash|zsh|ksh|ash|fish|cmd|powershell|pwsh)(?:\.exe)?$/i
const shellOptions = /^(?:-[a-z]*c|--command|\/c|\/k|-command|-encodedcommand)$/i
const interpreters = /^(?:node|nodejs|bun|deno|python[\d.]*|perl|ruby|php|tsx|ts-node)(?:\.exe)?$/i
const codeOptions = /^(?:-[a-z]*[ecEpr]|--eval|--print|eval)$/
const wrappers = /^(?:env|nohup|nice|timeout|stdbuf|setsid|time)$/

/** Variables that make a program load files, regardless of its command line. */
const loaders =
  /^(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|BASH_ENV|ENV|PYTHONSTARTUP|JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS)$/
/** Variables with folders of code. */
const codeFolders =
  /^(?:PATH|NODE_PATH|PYTHONPATH|PYTHONHOME|PERL5LIB|RUBYLIB|LD_LIBRARY_PATH|DYLD_LIBRARY_PATH|CLASSPATH)$/
/** Variables with options that can load a file. */
const options = /^(?:NODE_OPTIONS|PERL5OPT|RUBYOPT|BUN_OPTIONS)$/
const loadingOptions =
  /(?:^|\s)(?:-r|--require|--import|--loader|--experimental-loader|-[MmI]\S*)(?=[\s=]|$|\S)/

/**
 * Returns the reason why Cadre cannot know which files a server's program runs, as a clause. Cadre runs a server in the sandbox if its command
 * line names a file in the workspace, but a variable or code on the command line can also name one. Undefined if there is no such reason.
 */
export function hiddenCode({ reach }: Pick<ServerConfig, 'reach'>): string | undefined {
  if (reach.kind === 'address') return undefined
  const words = unwrapped([reach.command, ...reach.args])
  const [program = '', ...args] = words
  const name = path.basename(program)
  const inText = (wanted: RegExp) => args.find((arg) => wanted.test(arg))
  const shellOption = shells.test(name) ? inText(shellOptions) : undefined
  if (shellOption !== undefined) return `the server runs a command line in a shell (${name} ${shellOption})`
  const codeOption = interpreters.test(name) && codeOptions.test(args[0] ?? '') ? args[0] : undefined
  if (codeOption !== undefined) return `the server runs code from its command line (${name} ${codeOption})`
  const variables = [...Object.entries(reach.env), ...assignments([reach.command, ...reach.args])]
  const variable = variables.find(([key, value]) => loadsCode(key, value))?.[0]
  return variable === undefined ? undefined : `the variable ${variable} can load files`
}

function loadsCode(name: string, value: string): boolean {
  if (value === '') return false
  if (loaders.test(name)) return true
  if (options.test(name)) return loadingOptions.test(value)
  return codeFolders.test(name) && value.split(path.delimiter).some(isInWorkspace)
}

/** An absolute path names a folder that the user chose. A relative path, or a reference to the workspace, depends on the workspace. */
function isInWorkspace(folder: string): boolean {
  if (/\$\{(?:workspaceFolder|workspaceRoot|cwd|PWD)\b|\$PWD\b/.test(folder)) return true
  return !path.isAbsolute(folder) && !folder.startsWith('$') && !folder.startsWith('~')
}

/** `env A=1 sh -c …` is `sh -c …`. */
function unwrapped(words: readonly string[]): readonly string[] {
  if (!wrappers.test(path.basename(words[0] ?? ''))) return words
  const at = words.findIndex(
    (word, index) =>
      index > 0 && (shells.test(path.basename(word)) || interpreters.test(path.basename(word))),
  )
  return at < 0 ? words : words.slice(at)
}

/** The variables of `env A=1 program`. */
function assignments(words: readonly string[]): readonly (readonly [string, string])[] {
  if (!wrappers.test(path.basename(words[0] ?? ''))) return []
  return words.flatMap((word) => {
    const [, name, value] = /^(\w+)=(.*)$/s.exec(word) ?? []
    return name === undefined || value === undefined ? [] : [[name, value] as const]
  })
}

/** A sentence for a person who configures or lists a server, and what to do. */
export function hiddenCodeWarning(server: Pick<ServerConfig, 'name' | 'reach'>): string | undefined {
  const why = hiddenCode(server)
  if (why === undefined) return undefined
  return `The MCP server ${server.name} can run a workspace's files outside the sandbox: ${why}. Name the program and its file directly, or set mcp.servers.${server.name}.sandbox: true in your config.yaml.`
}
