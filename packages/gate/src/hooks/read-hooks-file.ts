import { interpretHookEvent, readJson } from '@cadre/agents'
import type { Diagnostic, Located } from '@cadre/disk'
import type { HookDialect, HookFileStatus, HookLevel } from './hook.ts'
import type { ReportHookProblem } from './read-hook-entry.ts'
import { type HooksSource, type ParsedHooks, readHooks } from './read-hooks.ts'

export interface HooksFileRequest {
  readonly path: string
  readonly text: string
  readonly level: HookLevel
  /** `hooks`: a file that contains only hooks. The others are settings, where hooks are one key of many. */
  readonly kind: 'hooks' | 'claude-settings' | 'copilot-settings'
  readonly platform?: NodeJS.Platform
}

export interface ParsedHooksFile extends ParsedHooks {
  readonly status: HookFileStatus
  /** `file`: disables its own hooks. `level`: also those of other files. */
  readonly disables?: 'file' | 'level'
}

/** Reads a file that may contain hooks. Never throws; settings without hooks are `loaded` with none. */
export function readHooksFile(request: HooksFileRequest): ParsedHooksFile {
  const { path, text, kind } = request
  const json = readJson({ path, text })
  const diagnostics: Diagnostic[] = [...json.diagnostics]
  const say = (severity: Diagnostic['severity'], line: number, code: string, message: string, fix?: string) =>
    diagnostics.push({ path, line, severity, code, message, ...(fix !== undefined && { fix }) })
  const failed = (): ParsedHooksFile => ({ hooks: [], entries: 0, diagnostics, status: 'failed' })
  // Recovering data from a broken file would be a guess, and every host rejects such a file.
  const broken = json.diagnostics.find(({ severity }) => severity === 'error')
  if (broken !== undefined) {
    const fix = 'Fix it. Until then, Cadre runs no hooks from this file.'
    return { ...failed(), diagnostics: [{ ...broken, fix }] }
  }
  const { root } = json
  if (root?.fields === undefined) {
    say(
      'error',
      root?.line ?? 1,
      'hooks-file-shape',
      'This must be an object with "hooks". Every host rejects it.',
    )
    return failed()
  }
  if (!isStrict(text))
    say(
      'warning',
      1,
      'json-comments',
      'Other hosts reject a file with comments or trailing commas. Cadre reads it.',
    )
  const source = sourceOf(request, root, say)
  const disables = root.fields.get('disableAllHooks')?.value === true
  const written = root.fields.get('hooks')
  if (written === undefined) {
    const stray = [...root.fields.keys()].find((key) => interpretHookEvent(key).kind === 'run')
    if (kind !== 'hooks' && stray === undefined)
      return {
        hooks: [],
        entries: 0,
        diagnostics,
        status: 'loaded',
        ...(disables && { disables: 'level' as const }),
      }
    const fix = stray === undefined ? 'Put the events under "hooks".' : `Put "${stray}" under "hooks".`
    say('error', root.line, 'hooks-missing', 'This file has no "hooks" key, so it defines no hooks.', fix)
    return failed()
  }
  const read = readHooks(written, source)
  return {
    ...read,
    diagnostics: [...diagnostics, ...read.diagnostics],
    status: statusOf(read, written),
    ...(disables && { disables: kind === 'hooks' ? 'file' : 'level' }),
  }
}

function statusOf({ hooks, entries, diagnostics }: ParsedHooks, written: Located): HookFileStatus {
  if (written.fields === undefined) return 'failed'
  const usable = hooks.filter(({ idle }) => idle === undefined)
  if (entries > 0 && hooks.length === 0) return 'failed'
  const isWhole = usable.length === entries && !diagnostics.some(({ severity }) => severity === 'error')
  return isWhole ? 'loaded' : 'partly'
}

function sourceOf(
  { path, level, kind, platform }: HooksFileRequest,
  root: Located,
  say: ReportHookProblem,
): HooksSource {
  const version = root.fields?.get('version')
  if (kind === 'hooks' && version !== undefined && version.value !== 1)
    say(
      'warning',
      version.line,
      'hooks-version',
      'The Copilot CLI supports only version 1 and rejects this file. Cadre reads it.',
      'Write "version": 1.',
    )
  const dialects: { readonly [of in HooksFileRequest['kind']]: HookDialect | 'shared' } = {
    hooks: 'shared',
    'claude-settings': 'claude',
    'copilot-settings': 'copilot',
  }
  return {
    path,
    level,
    dialect: dialects[kind],
    versioned: version !== undefined,
    inline: kind !== 'hooks',
    ...(platform !== undefined && { platform }),
  }
}

function isStrict(text: string): boolean {
  try {
    JSON.parse(text.replace(/^\ufeff/, ''))
    return true
  } catch {
    return false
  }
}
