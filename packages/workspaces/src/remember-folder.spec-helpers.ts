import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** Makes a folder once, and returns a function that writes the same files elsewhere. Starting git takes longer than that. */
export function rememberFolder(make: (folder: string) => void): (folder: string) => void {
  const first = mkdtempSync(path.join(tmpdir(), 'cadre-remembered-'))
  try {
    make(first)
    const entries = readdirSync(first, { recursive: true, encoding: 'utf8' }).map((name) => {
      const place = path.join(first, name)
      const stats = statSync(place)
      return { name, mode: stats.mode, content: stats.isDirectory() ? undefined : readFileSync(place) }
    })
    return (folder) => {
      for (const { name, mode, content } of entries)
        if (content === undefined) mkdirSync(path.join(folder, name), { recursive: true })
        else writeFileSync(path.join(folder, name), content, { mode })
    }
  } finally {
    rmSync(first, { recursive: true, force: true })
  }
}
