import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'

/** A `PATH` with every program of this machine except these. */
export function programsWithout(...hidden: readonly string[]): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-programs-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const names = new Map<string, string>()
  for (const place of (process.env['PATH'] ?? '').split(path.delimiter))
    for (const name of namesIn(place)) if (!names.has(name)) names.set(name, path.join(place, name))
  for (const [name, file] of names) if (!hidden.includes(name)) symlinkSync(file, path.join(folder, name))
  return folder
}

function namesIn(place: string): readonly string[] {
  try {
    return readdirSync(place)
  } catch {
    return []
  }
}
