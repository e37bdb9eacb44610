import path from 'node:path'
import { isSecretName, secretsIn } from './secret-name.ts'
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

/** Replaces references to variables in a server's configuration. The result's `secrets` contains their values. */
export function expandServer({ reach, syntax }: ServerConfig, values: VariableValues): Expanded {
  const missing = new Set<string>()
  const used = new Set<string>()
  const expand = (text: string) => expandText(text, syntax, values, { missing, used })
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
      : {
          ...reach,
          url: expand(reach.url),
          headers: expandAll(reach.headers),
          ...(reach.oauth?.clientSecret !== undefined && {
            oauth: { ...reach.oauth, clientSecret: expand(reach.oauth.clientSecret) },
          }),
        }
  return missing.size > 0
    ? { kind: 'unresolved', references: [...missing] }
    : { kind: 'expanded', reach: { ...expanded, secrets: secretsIn(expanded, used) } }
}

/** The ids of all `${input:ID}` references. */
export function inputsOf({ reach }: Pick<ServerConfig, 'reach'>): readonly string[] {
  const texts =
    reach.kind === 'program'
      ? [reach.command, ...reach.args, reach.cwd ?? '', reach.envFile ?? '', ...Object.values(reach.env)]
      : [reach.url, ...Object.values(reach.headers), reach.oauth?.clientSecret ?? '']
  const found = texts.flatMap((text) => [...text.matchAll(/\$\{input:([^}]*)\}/g)].map(([, id = '']) => id))
  return [...new Set(found)]
}

const braced = /\$\{([^}]*)\}/g
const bracedOrBare = /\$\{([^}]*)\}|\$([A-Za-z_][A-Za-z0-9_]*)/g

function expandText(
  text: string,
  syntax: VariableSyntax,
  values: VariableValues,
  { missing, used }: { readonly missing: Set<string>; readonly used: Set<string> },
): string {
  if (syntax === 'literal') return text
  return text.replace(
    syntax === 'copilot' ? bracedOrBare : braced,
    // Without a second group, the second argument is a position.
    (reference, inner?: string, bare?: string | number) => {
      const value =
        typeof bare === 'string' ? variableIn(values.env, bare) : variableValue(inner ?? '', syntax, values)
      if (value === undefined) missing.add(reference)
      else if (!isPublic(typeof bare === 'string' ? bare : (inner ?? ''), value)) used.add(value)
      return value ?? reference
    },
  )
}

const publicNames =
  /^(?:env:)?(?:workspaceFolder|workspaceRoot|workspaceFolderBasename|userHome|cwd|pathSeparator|\/|HOME|LANG|LOGNAME|PATH|PWD|SHELL|TERM|TMPDIR|USER)(?::-|$)/

/** Whether everyone may see the value, because it is a path on this machine, or because the file contains it as the default. */
function isPublic(inner: string, value: string): boolean {
  return publicNames.test(inner) || (!isSecretName(inner) && inner.endsWith(`:-${value}`))
}

function variableValue(
  inner: string,
  syntax: VariableSyntax,
  { env, workspace, userHome, input }: VariableValues,
) {
  if (inner.startsWith('input:')) return input?.(inner.slice('input:'.length))
  if (inner.startsWith('env:'))
    return syntax === 'vscode' || syntax === 'cadre' ? variableIn(env, inner.slice(4)) : undefined
  if (syntax === 'vscode' || syntax === 'cadre') {
    const known: { readonly [name: string]: string } = {
      workspaceFolder: workspace,
      workspaceRoot: workspace,
      workspaceFolderBasename: path.basename(workspace),
      userHome,
      cwd: workspace,
      pathSeparator: path.sep,
      '/': path.sep,
    }
    if (Object.hasOwn(known, inner)) return known[inner]
    if (syntax === 'vscode') return undefined
  }
  const [, name = '', fallback] = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s.exec(inner) ?? []
  // As in a shell, the default also replaces an empty variable.
  const value = variableIn(env, name)
  return fallback === undefined ? value : value || fallback
}

function variableIn(env: VariableValues['env'], name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined
}
