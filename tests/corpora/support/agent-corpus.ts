import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type ParsedAgent, readAgentText } from '@cadre/agents'

/** One file of a corpus, and the loader's result. */
export interface CorpusFile {
  /** Relative to the corpus folder, with `/`. */
  readonly path: string
  readonly text: string
}

export interface ReadFile extends CorpusFile {
  readonly read: ParsedAgent & { readonly dialect: string }
  readonly status: 'ok' | 'rescued' | 'failed'
}

/** The shipped samples, at least one per dialect: available without any corpus. */
export const samples = path.join(import.meta.dirname, '..', 'samples')

const corpora = process.env['CADRE_CORPORA']

/** The real files, if the environment names them. */
export const realAgents = corpora === undefined ? undefined : path.join(corpora, 'agents')

export function filesBelow(folder: string | undefined): CorpusFile[] {
  if (folder === undefined) return []
  if (!existsSync(folder)) throw new Error(`CADRE_CORPORA must name a folder that contains agents: ${folder}`)
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(md|ya?ml|json)$/i.test(entry.name))
    .map((entry) => {
      const at = path.join(entry.parentPath, entry.name)
      const name = path.relative(folder, at).split(path.sep).join('/')
      return { path: name, text: readFileSync(at, 'utf8') }
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** As if the corpus were the root of a disk: the folders above it must not affect the dialect. */
export function readFile(file: CorpusFile): ReadFile {
  const read = readAgentText({ path: `/${file.path}`, text: file.text })
  return { ...file, read, status: statusOf(read) }
}

export function statusOf(read: ParsedAgent): ReadFile['status'] {
  if (read.agent === undefined) return 'failed'
  return read.rescued === true ? 'rescued' : 'ok'
}
