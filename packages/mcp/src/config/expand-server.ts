import path from 'node:path'
import type { ServerAddress, ServerConfig, ServerProgram, VariableSyntax } from './server-config.ts'

export interface VariableValues {
  readonly env: { readonly [name: string]: string | undefined }
  readonly workspace: string
  readonly userHome: string
  /** The stored answer to `${input:ID}`. */
  readonly input?: ((id: string) => string | undefined) | undefined
}

export type Expanded =
  | { readonly kind: 'expanded'; readonly reach: ServerProgram | ServerAddress }
  /** The references that have no value. A server must not start with their literal text. */
  | { readonly kind: 'unresolved'; readonly references: readonly string[] }

/** Replaces references to variables in the configuration of a server. */
export function expandServer({ reach, syntax }: ServerConfig, values: VariableValues): Expanded {
  const missing = new Set<string>()
  const expand = (text: string) => expandText(text, syntax, values, missing)
  const expandAll = (texts: { readonly [name: string]: string }) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, expand(text)]))
  const expanded: ServerProgram | ServerAddress =
    reach.kind === 'program'
      ? {
          ...reach,
          command: expand(reach.command),
          args: reach.args.map(expand),
          env: expandAll(reach.env),
          ...(reach.envFile !== undefined && { envFile: expand(reach.envFile) }),
          ...(reach.cwd !== undefined && { cwd: expand(reach.cwd) }),
        }
      : { ...reach, url: expand(reach.url), headers: expandAll(reach.headers) }
  return missing.size > 0
    ? { kind: 'unresolved', references: [...missing] }
    : { kind: 'expanded', reach: expanded }
}

const braced = /\$\{([^}]*)\}/g
const bracedOrBare = /\$\{([^}]*)\}|\$([A-Za-z_][A-Za-z0-9_]*)/g

function expandText(
  text: string,
  syntax: VariableSyntax,
  values: VariableValues,
  missing: Set<string>,
): string {
  if (syntax === 'literal') return text
  return text.replace(
    syntax === 'copilot' ? bracedOrBare : braced,
    (reference, inner?: string, bare?: string) => {
      const value = bare === undefined ? variableValue(inner ?? '', syntax, values) : values.env[bare]
      if (value === undefined) missing.add(reference)
      return value ?? reference
    },
  )
}

function variableValue(
  inner: string,
  syntax: VariableSyntax,
  { env, workspace, userHome, input }: VariableValues,
) {
  if (inner.startsWith('input:')) return input?.(inner.slice('input:'.length))
  if (inner.startsWith('env:'))
    return syntax === 'vscode' || syntax === 'cadre' ? env[inner.slice(4)] : undefined
  if (syntax === 'vscode') {
    const known: { readonly [name: string]: string } = {
      workspaceFolder: workspace,
      workspaceRoot: workspace,
      workspaceFolderBasename: path.basename(workspace),
      userHome,
      cwd: workspace,
      pathSeparator: path.sep,
      '/': path.sep,
    }
    return Object.hasOwn(known, inner) ? known[inner] : undefined
  }
  const [, name = '', fallback] = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s.exec(inner) ?? []
  // As in a shell, an empty variable gets the default too.
  return fallback === undefined ? env[name] : env[name] || fallback
}
