import { readFileSync } from 'node:fs'
import path from 'node:path'
import { HttpProblem } from './problem.ts'
import { etagOf, type HttpAnswer } from './send-answer.ts'

/** The page's files. */
export interface StaticFiles {
  /** Throws an `HttpProblem` if there is no such file. */
  answer(pathname: string): HttpAnswer
}

const types: { readonly [ending: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
}

/**
 * Serves only the files that the page's manifest `files.json` lists. Request paths never reach the disk. Every other address
 * without a file extension is a view of the page.
 */
export function openStaticFiles(folder: string): StaticFiles {
  const known = new Map<string, HttpAnswer>()
  let names: ReadonlySet<string> | undefined
  const read = (name: string): HttpAnswer => {
    const cached = known.get(name)
    if (cached !== undefined) return cached
    const bytes = readFileSync(path.join(folder, name))
    const type = types[path.extname(name)] ?? 'application/octet-stream'
    const answer = { status: 200, type, bytes, etag: etagOf(bytes) }
    known.set(name, answer)
    return answer
  }
  return {
    answer(pathname) {
      names ??= namesIn(folder)
      const name = pathname.slice(1)
      if (names.has(name)) return read(name)
      if (path.posix.extname(name) !== '') throw new HttpProblem(404, 'Not found.')
      return read('index.html')
    },
  }
}

function namesIn(folder: string): ReadonlySet<string> {
  let list: unknown
  try {
    list = JSON.parse(readFileSync(path.join(folder, 'files.json'), 'utf8'))
  } catch {
    throw new HttpProblem(
      404,
      `The page is not built: ${path.join(folder, 'files.json')} is missing. Run "npm run build" in the repository, or install Cadre again.`,
    )
  }
  const names = Array.isArray(list) ? list.filter((name): name is string => typeof name === 'string') : []
  return new Set(names.filter((name) => /^[\w][\w./-]*$/.test(name) && !name.includes('..')))
}
