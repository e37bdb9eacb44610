import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { until } from './until.ts'

/** The actions of the scripted model in a reply, in this order. `../scripted-model/models.js` describes them. */
export interface Step {
  readonly wait?: string
  readonly error?: { readonly message: string; readonly code?: string; readonly times?: number }
  readonly text?: string
  readonly calls?: readonly { readonly name: string; readonly input?: object }[]
}

/** The replies to one agent, by the number of model replies in its conversation. */
export interface Lane {
  readonly when?: string | readonly string[]
  readonly model?: 'scripted-one' | 'scripted-two'
  readonly replies: readonly (Step | readonly Step[])[]
}

export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly callId: string; readonly name: string; readonly input: unknown }
  | { readonly kind: 'result'; readonly callId: string; readonly text: string }
  | { readonly kind: 'data'; readonly mimeType: string }

export interface ModelRequest {
  readonly kind: 'request'
  /** Its number, which other log entries refer to. */
  readonly request: number
  readonly model: string
  readonly lane?: number
  readonly reply?: number
  readonly messages: readonly {
    readonly role: string
    readonly name?: string
    readonly parts: readonly Part[]
  }[]
  readonly tools: readonly string[]
  readonly toolMode?: number
}

/** An entry of the test extension's log. */
export type LogEntry =
  | ModelRequest
  | { readonly kind: 'activated'; readonly version: string; readonly models: readonly string[] }
  | { readonly kind: 'waiting'; readonly request: number; readonly file: string }
  | { readonly kind: 'replied'; readonly request: number }
  | { readonly kind: 'failed'; readonly request: number; readonly message: string }
  | { readonly kind: 'cancelled'; readonly request: number; readonly model: string }
  | { readonly kind: 'chat-cancelled'; readonly prompt: string }
  | { readonly kind: 'tool'; readonly name: string; readonly input: unknown; readonly inChat: boolean }
  | { readonly kind: 'tool-failed'; readonly name: string; readonly error: string; readonly message: string }
  | { readonly kind: 'tool-cancelled'; readonly name: string }

type Entry<Kind extends LogEntry['kind']> = Extract<LogEntry, { kind: Kind }>

/** The scripted model, for a test. */
export interface ScriptedModel {
  /** Plays these lanes from the next request. */
  play(...lanes: Lane[]): void
  log(): LogEntry[]
  entries<Kind extends LogEntry['kind']>(kind: Kind): Entry<Kind>[]
  requests(): ModelRequest[]
  /** Waits for a matching entry of this kind. */
  waitFor<Kind extends LogEntry['kind']>(
    kind: Kind,
    fits?: (entry: Entry<Kind>) => boolean,
  ): Promise<Entry<Kind>>
}

export function scriptedModel(files: { script: string; log: string }): ScriptedModel {
  const log = () => (existsSync(files.log) ? readLines(files.log) : [])
  const entries: ScriptedModel['entries'] = (kind) =>
    log().filter((entry): entry is Entry<typeof kind> => entry.kind === kind)
  const play = (...lanes: Lane[]) => {
    // Renamed into place, so that no request reads half of it.
    writeFileSync(`${files.script}.new`, JSON.stringify({ lanes }))
    renameSync(`${files.script}.new`, files.script)
  }
  play()
  return {
    play,
    log,
    entries,
    requests: () => entries('request'),
    waitFor: (kind, fits = () => true) =>
      until(`"${kind}" in the log of the model`, () => entries(kind).find(fits)),
  }
}

function readLines(file: string): LogEntry[] {
  // The last line may still be incomplete.
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as LogEntry)
}
