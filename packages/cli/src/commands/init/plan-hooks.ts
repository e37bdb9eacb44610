import { lstatSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { mergeHooks, type PlacedFile } from '@cadre/agents'
import { CadreError } from '@cadre/core'
import { claudeHooks, readHookHarness, readShippedHooks } from '@cadre/gate'
import { findChecks } from './find-checks.ts'
import { verificationChecklist } from './verification-checklist.ts'

export interface PlannedHooks {
  readonly files: readonly PlacedFile[]
  /** Files that extend existing content, and so may replace it. */
  readonly edited: ReadonlySet<string>
  /** Existing files that stay unchanged, relative to the project. */
  readonly kept: readonly string[]
  /** Files that also contain other hooks, relative to the project. */
  readonly mixed: ReadonlySet<string>
  readonly notes: readonly string[]
}

/** Programs that run hooks, by the value of `--to`. */
export type HookHost = 'copilot' | 'claude' | 'vscode'

export function isHookHost(host: string): host is HookHost {
  return host === 'copilot' || host === 'claude' || host === 'vscode'
}

export const noHooks: PlannedHooks = {
  files: [],
  edited: new Set(),
  kept: [],
  mixed: new Set(),
  notes: [],
}

const claudeSettings = '.claude/settings.json'
const copilotHooks = '.github/hooks/copilot-hooks.json'

/**
 * Plans the scripts that enforce the roles of a team in other programs, the configuration that runs them, and what a person
 * needs to verify both.
 */
export function planHooks(project: string, host: HookHost): PlannedHooks {
  const shipped = readShippedHooks()
  const own = [readHookHarness(), verificationChecklist(findChecks(project))]
  const kept = own.filter((file) => isKept(project, file))
  const harness = own.filter((file) => !kept.includes(file))
  const common = { kept: kept.map((file) => file.path), edited: new Set<string>(), mixed: new Set<string>() }
  if (host !== 'claude') return { ...common, files: [...harness, ...shipped], notes: [] }
  const settings = withHooks(project)
  return {
    ...common,
    files: [
      ...harness,
      ...shipped.filter((file) => file.path !== copilotHooks),
      { path: claudeSettings, text: settings.text },
    ],
    edited: new Set([claudeSettings]),
    mixed: new Set(settings.hasOthers ? [claudeSettings] : []),
    notes: notesOn(path.join(project, claudeSettings), settings),
  }
}

function notesOn(file: string, { hasOthers, isOff }: { hasOthers: boolean; isOff: boolean }): string[] {
  return [
    ...(isOff ? [`${file}: "disableAllHooks" is true, so Claude Code does not run the hooks.`] : []),
    ...(hasOthers
      ? [`${file} also contains other hooks, so Cadre runs the hooks in this file only after you trust them.`]
      : []),
  ]
}

/** Changes by a person are kept, and existing files are never replaced. */
function isKept(project: string, { path: file, text }: PlacedFile): boolean {
  const target = path.join(project, file)
  const stats = lstatSync(target, { throwIfNoEntry: false })
  if (stats === undefined) return false
  return !stats.isFile() || readFileSync(target, 'utf8').replaceAll('\r\n', '\n') !== text
}

function withHooks(project: string): { text: string; hasOthers: boolean; isOff: boolean } {
  const target = path.join(project, claudeSettings)
  const stats = lstatSync(target, { throwIfNoEntry: false })
  // Anything that is not a file is rejected when files are written.
  const bytes = stats?.isFile() === true ? readFileSync(target) : Buffer.from('{}\n')
  const text = bytes.toString('utf8')
  const refuse = (line: number, reason: string) =>
    new CadreError(
      'configuration',
      `${target}:${line}: ${reason}, so Cadre cannot add the hooks. Nothing was written.`,
    )
  if (!Buffer.from(text).equals(bytes)) throw refuse(1, 'this is not UTF-8 text')
  const merged = mergeHooks(text, claudeHooks)
  if (merged.kind === 'refused') throw refuse(merged.line, merged.reason)
  return merged
}
