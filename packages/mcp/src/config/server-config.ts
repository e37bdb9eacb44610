import type { Effect } from '@cadre/core'

/**
 * The source of a server's configuration: the user, a project file, an agent file, or the program that runs Cadre, such as an
 * editor. A project's servers, and those of its agents, start only after a person has trusted them.
 */
export type ServerScope = 'user' | 'project' | 'agent' | 'client'

/** The syntax of references such as `${TOKEN}` in a file. `literal`: there are none. */
export type VariableSyntax = 'vscode' | 'claude' | 'copilot' | 'cadre' | 'literal'

/** A server that Cadre starts, and talks to over standard input and output. */
export interface ServerProgram {
  readonly kind: 'program'
  readonly command: string
  readonly args: readonly string[]
  readonly env: { readonly [name: string]: string }
  /** A file with additional variables, as in VS Code. */
  readonly envFile?: string
  /** Default: the workspace for a project's servers, otherwise the user's home directory. */
  readonly cwd?: string
  /** Set after the references were replaced: the values that must stay hidden. */
  readonly secrets?: readonly string[]
}

/** A server at an address (streamable HTTP). */
export interface ServerAddress {
  readonly kind: 'address'
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  /** Settings for signing in with OAuth. */
  readonly oauth?: {
    readonly clientId?: string
    /** A reference such as `${CLIENT_SECRET}`. */
    readonly clientSecret?: string
    readonly scopes?: readonly string[]
  }
  /** Set after the references were replaced: the values that must stay hidden. */
  readonly secrets?: readonly string[]
}

/** One MCP server as configured. Texts still contain references to variables. */
export interface ServerConfig {
  readonly name: string
  readonly scope: ServerScope
  /** The file that configures it. */
  readonly file: string
  /** Set for a server from an agent file: only this agent may use it. */
  readonly agent?: string
  readonly syntax: VariableSyntax
  readonly reach: ServerProgram | ServerAddress
  /** The tools that agents may use: names, or patterns with `*`. */
  readonly tools: readonly string[]
  /** How long a call may be silent, in milliseconds. */
  readonly timeout?: number
  /** What its tools can change, by tool name or `*`. Only the user's own configuration can set this. Default: `outbound`. */
  readonly effects: { readonly [tool: string]: Effect }
  /**
   * True: runs in the sandbox, with the workspace as its only writable folder. False: runs without any protection. Only the user's own
   * configuration can set this. Default: a project's servers run in the sandbox; others cannot change protected files.
   */
  readonly sandbox?: boolean
  /** The descriptions of `${input:ID}` references. */
  readonly inputs: { readonly [id: string]: string }
}
