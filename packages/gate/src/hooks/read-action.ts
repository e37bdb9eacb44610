import type { Located } from '@cadre/disk'
import type { HookAction } from './hook.ts'
import type { EntryContext, ReportHookProblem } from './read-hook-entry.ts'

export interface ParsedAction {
  /** Absent if the entry has nothing to run. */
  readonly action?: HookAction
  /** Why it does not run here. */
  readonly idle?: string
}

/** Hook types that require a model, an agent or a server of their host. */
const unsupportedTypes = new Set(['prompt', 'agent', 'mcp_tool'])

export function readAction(item: Located, context: EntryContext, say: ReportHookProblem): ParsedAction {
  const fields = item.fields as ReadonlyMap<string, Located>
  const type = fields.get('type')
  if (type?.value === 'http') return readHttp(item, say)
  if (typeof type?.value === 'string' && unsupportedTypes.has(type.value)) {
    const idle = `Cadre does not run hooks of type ${type.value}`
    say('warning', type.line, 'hook-type-not-run', `${sentence(idle)}, only command and http.`)
    return { action: { kind: 'command', command: textOf(fields.get('prompt')) ?? '' }, idle }
  }
  if (type !== undefined && type.value !== null && type.value !== 'command') {
    say(
      'error',
      type.line,
      'hook-type-unknown',
      `${JSON.stringify(type.value)?.slice(0, 80)} is not a hook type. Cadre skips this entry.`,
      'Write "type": "command".',
    )
    return {}
  }
  if (type === undefined && context.dialect === 'vscode')
    say(
      'info',
      item.line,
      'hook-type-absent',
      'VS Code skips entries without "type": "command". Cadre runs this one.',
    )
  return readCommand(item, context, say)
}

function readCommand(
  item: Located,
  { platform = process.platform, dialect }: EntryContext,
  say: ReportHookProblem,
): ParsedAction {
  const fields = item.fields as ReadonlyMap<string, Located>
  const own = platform === 'win32' ? 'windows' : platform === 'darwin' ? 'osx' : 'linux'
  const keys =
    platform === 'win32' ? [own, 'powershell', 'exec', 'command'] : [own, 'bash', 'exec', 'command']
  const wrong = [...new Set([...keys, 'bash', 'powershell', 'windows', 'linux', 'osx'])].find((key) => {
    const value = fields.get(key)?.value
    return value !== undefined && value !== null && typeof value !== 'string'
  })
  if (wrong !== undefined)
    say('error', fields.get(wrong)?.line ?? item.line, 'hook-command-shape', `"${wrong}" is not a string.`)
  const key = keys.find((name) => (textOf(fields.get(name)) ?? '').trim() !== '')
  if (key === undefined) {
    const other = ['bash', 'powershell', 'windows', 'linux', 'osx', 'command'].find(
      (name) => (textOf(fields.get(name)) ?? '').trim() !== '',
    )
    if (other === undefined) {
      const fix = `Add "command": "…".${fields.has('script') ? ' No host supports "script".' : ''}`
      say('error', item.line, 'hook-command-missing', 'This entry has nothing to run. Cadre skips it.', fix)
      return {}
    }
    const idle = `the hook has a command only for another system (${other})`
    say('info', item.line, 'hook-other-system', `${sentence(idle)}.`)
    return { action: { kind: 'command', command: textOf(fields.get(other)) ?? '' }, idle }
  }
  const command = textOf(fields.get(key)) as string
  if (command.includes('\0')) {
    say(
      'error',
      item.line,
      'hook-command-shape',
      'The command contains a NUL byte, so no system can start it.',
    )
    return {}
  }
  const args = fields.get('args')
  if (args !== undefined && key !== 'command' && key !== 'exec')
    say(
      'warning',
      args.line,
      'hook-args-ignored',
      `"args" works only with "command" or "exec". Cadre runs "${key}" without arguments.`,
      `Write the arguments in "${key}".`,
    )
  if (key === 'exec' && args === undefined) return { action: { kind: 'command', command, args: [] } }
  if (args !== undefined && (key === 'command' || key === 'exec')) {
    if (args.items?.every(({ value }) => typeof value === 'string' && !value.includes('\0')) !== true) {
      say('error', args.line, 'hook-args-shape', '"args" must be a list of strings. Cadre skips this entry.')
      return {}
    }
    return { action: { kind: 'command', command, args: args.items.map(({ value }) => String(value)) } }
  }
  return {
    action: {
      kind: 'command',
      command,
      shell: shellFor(key, platform, dialect, textOf(fields.get('shell'))),
    },
  }
}

/** VS Code uses the default shell of the system; the other two require bash. */
function shellFor(key: string, platform: NodeJS.Platform, dialect: string, wanted: string | undefined) {
  if (wanted === 'powershell' || key === 'powershell') return 'powershell'
  if (platform === 'win32') return key === 'windows' || dialect === 'vscode' ? 'cmd' : 'powershell'
  return dialect === 'vscode' && key !== 'bash' ? 'sh' : 'bash'
}

function readHttp(item: Located, say: ReportHookProblem): ParsedAction {
  const fields = item.fields as ReadonlyMap<string, Located>
  const written = textOf(fields.get('url')) ?? ''
  let url: URL
  try {
    url = new URL(written)
  } catch {
    say(
      'error',
      item.line,
      'hook-url',
      'A hook of type http needs "url" with an https address. Cadre skips it.',
    )
    return {}
  }
  const headers = Object.fromEntries(
    [...(fields.get('headers')?.fields ?? [])].flatMap(([name, { value }]) =>
      typeof value === 'string' && /^[\w-]+$/.test(name) ? [[name, value]] : [],
    ),
  )
  const variables = (fields.get('allowedEnvVars')?.items ?? []).flatMap(({ value }) =>
    typeof value === 'string' ? [value] : [],
  )
  const action: HookAction = { kind: 'http', url: url.href, headers, variables }
  if (url.protocol === 'https:') return { action }
  const idle =
    'an http hook must use https, because its answer can allow or deny calls and could be forged in transit'
  say('error', fields.get('url')?.line ?? item.line, 'hook-url', `${sentence(idle)}. Cadre does not run it.`)
  return { action, idle }
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

export function textOf(field: Located | undefined): string | undefined {
  return typeof field?.value === 'string' ? field.value : undefined
}
