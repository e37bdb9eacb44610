import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Notice } from '@cadre/core'
import { type Diagnostic, showDiagnostic } from '@cadre/disk'
import type { Environment } from './environment.ts'

/** Reports only dropped folders that contain programs. */
export function pathNotices({ env }: Environment, dropped: readonly string[]): Notice[] {
  const entries = env['PATH']?.split(path.delimiter) ?? []
  const left = new Set(dropped.filter((entry) => !entries.includes(entry) && existsSync(entry)))
  if (left.size === 0) return []
  const message = `PATH entries inside this project are ignored until you trust it: ${[...left].join(', ')}`
  return [{ code: 'path', message }]
}

/** Reports errors in hooks, allowlists and permissions, and permissions that Cadre cannot enforce. */
export function guardNotices(diagnostics: readonly Diagnostic[]): Notice[] {
  return diagnostics
    .filter(({ severity, code }) => severity === 'error' || code === 'permissions-unsupported')
    .map((diagnostic) => ({ code: 'gate', message: showDiagnostic(diagnostic) }))
}
