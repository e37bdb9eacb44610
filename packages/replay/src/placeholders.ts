import type { Json } from '@cadre/core'
import { escapeRegex } from '@cadre/disk'

export interface Places {
  /** The folders that sessions in the run may change. */
  readonly workspaces: readonly string[]
  readonly home: string
  readonly userHome: string
}

/** Session ids by their number in the fixture. */
export type SessionNumbers = ReadonlyMap<string, number>

/**
 * Replaces paths and session ids, which differ between machines and between runs, with placeholders. If a text already contains a placeholder,
 * this is harmless, because both sides of a comparison are replaced.
 */
export function insertPlaceholders(text: string, places: Places, sessions: SessionNumbers): string {
  let short = withoutEnvironment(text)
  for (const [path, name] of pathsOf(places)) short = replacePath(short, path, name)
  if (sessions.size === 0) return short
  const ids = [...sessions.keys()].filter((id) => id !== '').sort((a, b) => b.length - a.length)
  const any = new RegExp(`(?<![\\w-])(?:${ids.map(escapeRegex).join('|')})(?![\\w-])`, 'g')
  return short.replace(any, (id) => sessionName(sessions.get(id) as number))
}

export interface Expansion {
  /** The workspace of the session that receives the text. */
  readonly workspace: string
  readonly home: string
  readonly userHome: string
  /** The id of a session in this replay, once it exists. */
  session(number: number): string | undefined
}

/** The text with this replay's paths and ids. `asJson`: the text is JSON. */
export function fillPlaceholders(text: string, expansion: Expansion, asJson = false): string {
  if (!text.includes('⟦')) return text
  const written = (value: string) => (asJson ? JSON.stringify(value).slice(1, -1) : value)
  return text
    .replaceAll(workspaceName, () => written(expansion.workspace))
    .replaceAll(homeName, () => written(expansion.home))
    .replaceAll(userName, () => written(expansion.userHome))
    .replace(/⟦session (\d{1,9})⟧/g, (all, number: string) => {
      const id = expansion.session(Number(number))
      return id === undefined ? all : written(id)
    })
}

/** Applies `change` to every text in a value. */
export function mapTexts<T extends Json | undefined>(value: T, change: (text: string) => string): T {
  if (typeof value === 'string') return change(value) as T
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: Json) => mapTexts(item, change)) as unknown as T
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, mapTexts(item as Json, change)]),
  ) as T
}

function sessionName(number: number): string {
  return `⟦session ${number}⟧`
}

const workspaceName = '⟦workspace⟧'
const homeName = '⟦home⟧'
const userName = '⟦user⟧'

/** The date, the operating system and the git status differ between machines and times. They are at the end of a prompt. */
const environment =
  /## Environment\n\nThis was true when the session started\. It is not updated\.\n\n[\s\S]*$/

function withoutEnvironment(text: string): string {
  return text.replace(environment, '## Environment\n\n⟦environment⟧')
}

/** Longest first, because a home is often inside the workspace, and the workspace inside the user's folder. */
function pathsOf({ workspaces, home, userHome }: Places): [path: string, name: string][] {
  const named: [string, string][] = [
    ...workspaces.map((path): [string, string] => [path, workspaceName]),
    [home, homeName],
    [userHome, userName],
  ]
  return named.filter(([path]) => path.length > 1).sort(([a], [b]) => b.length - a.length)
}

function replacePath(text: string, path: string, name: string): string {
  const inJson = JSON.stringify(path).slice(1, -1)
  const spellings = inJson === path ? [path] : [inJson, path]
  // `/home/ann` must not match in `/home/anna`.
  return spellings.reduce(
    (short, spelling) =>
      short.includes(spelling)
        ? short.replace(new RegExp(`${escapeRegex(spelling)}(?![\\w-])`, 'g'), name)
        : short,
    text,
  )
}
