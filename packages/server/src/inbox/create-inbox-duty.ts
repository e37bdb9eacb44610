/**
 * Handles the lines in `inbox/*.jsonl`. The daemon calls one method at a time.
 *
 * 1. Each line is handled once, in file order. A line counts as handled when its result is on disk.
 * 2. A line that cannot be handled now waits, and so do later lines of the same file. Other files continue.
 * 3. One call handles a limited number of lines, so that a long file does not delay a start or stop.
 * 4. Without valid routes, all lines wait. None is lost.
 */

import { existsSync } from 'node:fs'
import type { Problem } from '@cadre/channels'
import { didYouMean, messageOf, sentenceOf } from '@cadre/core'
import { type Diagnostic, listFolder } from '@cadre/disk'
import {
  type InboxRoute,
  type LineReader,
  lineFileBaseName,
  openLineReader,
  openRoutes,
  type ParsedLine,
  type UnreadableLine,
} from '@cadre/home'
import type { DaemonContext } from '../daemon-context.ts'
import type { Duty } from '../duty.ts'
import { createRetryTimer } from '../retry-timer.ts'
import { handleLine, type TaskAdder } from './handle-line.ts'

export interface InboxOptions {
  /** Without it, lines for task routes wait. */
  readonly tasks?: TaskAdder
}

type Finding = Omit<Problem, 'file'>

/** The state of one file. */
interface Watched {
  readonly reader: LineReader
  readonly unreadable: Finding[]
  /** The file version that this state is about. */
  generation: number
  /** The first line that matches no route. */
  unrouted: number | undefined
  waits: Finding | undefined
  /** True if there are unread lines. */
  hasMore: boolean
}

const about = 'inbox'
const routesFile = 'inbox/routes.yaml'
const concurrency = 50
const maxPerCall = 100
const maxShown = 20

export function createInboxDuty(context: DaemonContext, { tasks }: InboxOptions = {}): Duty {
  const { home, agents, sessions, note, problems } = context
  const routesNow = openRoutes(home)
  const files = new Map<string, Watched>()
  const handler = { home, agents, sessions, note, tasks }
  const isDue = createRetryTimer()

  return {
    name: 'inbox',
    // Routes name agents, which can be added and removed.
    folders: ['inbox', 'templates'],
    start: () => lookAt(names()),
    changed(changed) {
      const isAboutAgents = changed.some((file) => file.startsWith('templates/'))
      if (isAboutAgents) usableRoutes()
      if (isAboutAgents || changed.includes(routesFile)) {
        // Waiting lines may continue, and unmatched lines may match the new routes.
        for (const file of files.values()) file.unrouted = undefined
        return lookAt(names())
      }
      return lookAt(changed.flatMap((file) => lineFileBaseName(file.replace(/^inbox\//, '')) ?? []))
    },
    hasMore: () => [...files.values()].some((file) => file.hasMore),
    async tick(now) {
      await lookAt([...files].filter(([, { hasMore }]) => hasMore).map(([name]) => name))
      const waiting = [...files].filter(([, { waits }]) => waits !== undefined).map(([name]) => name)
      if (waiting.length > 0 && isDue(now)) await lookAt(waiting)
    },
  }

  function names(): string[] {
    return listFolder(home.at('inbox')).flatMap((name) => lineFileBaseName(name) ?? [])
  }

  async function lookAt(names: readonly string[]): Promise<void> {
    usableRoutes()
    for (const name of names) {
      try {
        await read(name)
      } catch (error) {
        report(name, [{ severity: 'error', message: messageOf(error) }])
      }
    }
  }

  /** Returns `undefined` while all lines must wait. */
  function usableRoutes(): readonly InboxRoute[] | undefined {
    const now = routesNow()
    if (now.kind === 'none') {
      problems.report(about, routesFile, [])
      return undefined
    }
    const unknown = now.routes.flatMap((route) => unknownAgent(route))
    problems.report(about, routesFile, [...now.diagnostics.map(findingOf), ...unknown])
    return now.diagnostics.some(({ severity }) => severity === 'error') ? undefined : now.routes
  }

  function unknownAgent(route: InboxRoute): Finding[] {
    if (route.kind !== 'agent' || agents.get(route.to) !== undefined) return []
    const names = agents.list().map(({ name }) => name)
    const hint = didYouMean(route.to, names) || '.'
    const message = `There is no agent named ${JSON.stringify(route.to)}, so messages for this route stay queued${hint}`
    return [{ line: route.line, severity: 'error', code: 'unknown-agent', message }]
  }

  async function read(name: string): Promise<void> {
    const file = files.get(name) ?? open(name)
    const passedBefore = file.reader.passedOver
    file.waits = undefined
    file.hasMore = false
    let count = 0
    for (let items = next(file); items.length > 0; items = next(file)) {
      if (count >= maxPerCall) {
        file.hasMore = true
        break
      }
      count += items.length
      forgetOld(file)
      // Read for each batch, so that a change applies immediately.
      const routes = usableRoutes()
      for (const item of items) {
        file.waits = await handle(name, file, item, routes)
        if (file.waits !== undefined) break
        file.reader.done(item)
      }
    }
    forgetOld(file, !existsSync(home.at('inbox', `${name}.jsonl`)))
    const passed = file.reader.passedOver - passedBefore
    if (passed > 0) {
      const message = `Cadre skipped ${passed} lines in inbox/${name}.jsonl, because it handled their ids before. Give each new message a new id.`
      note({ type: 'message.repeated', message, file: `inbox/${name}.jsonl`, lines: passed })
    }
    report(name, findingsOf(file))
  }

  /** Returns the reason why the line must wait, or `undefined` if it is handled. */
  async function handle(
    name: string,
    file: Watched,
    item: ParsedLine | UnreadableLine,
    routes: readonly InboxRoute[] | undefined,
  ): Promise<Finding | undefined> {
    const { number } = item
    if (item.kind === 'unreadable') {
      const message = `Cadre skipped this line: ${item.reason}. Each line must be a JSON object.`
      const finding = { line: number, severity: 'warning', code: 'unreadable-line', message } as const
      if (file.unreadable.length < maxShown) file.unreadable.push(finding)
      const place = `inbox/${name}.jsonl`
      note({
        type: 'message.unreadable',
        message: `${place}:${number}: ${message}`,
        file: place,
        line: number,
      })
      return undefined
    }
    const { id, value: data } = item
    // An outgoing message, which is also listed in the inbox.
    if (data['direction'] === 'out') return undefined
    if (routes === undefined) return waitingFor(routesNow().kind)
    try {
      const handled = await handleLine({ file: name, number, id, data }, routes, handler)
      if (handled === 'unrouted') file.unrouted ??= number
      return undefined
    } catch (error) {
      const message = `Cannot handle this line, so it and the lines after it stay queued: ${sentenceOf(error)}`
      return { line: number, severity: 'error', code: 'waiting', message }
    }
  }

  function open(name: string): Watched {
    const file: Watched = {
      reader: openLineReader(home, 'inbox', name),
      unreadable: [],
      generation: 0,
      unrouted: undefined,
      waits: undefined,
      hasMore: false,
    }
    files.set(name, file)
    return file
  }

  function report(name: string, findings: readonly Finding[]): void {
    problems.report(about, `inbox/${name}.jsonl`, findings)
  }
}

/** Drops the problems of a file that was replaced or removed. */
function forgetOld(file: Watched, isGone = false): void {
  const { generation } = file.reader
  if (!isGone && file.generation === generation) return
  file.generation = generation
  file.unreadable.length = 0
  file.unrouted = undefined
}

/** Empty while a line is waiting. */
function next({ reader, waits }: Watched): (ParsedLine | UnreadableLine)[] {
  return waits === undefined ? reader.take(concurrency) : []
}

function findingsOf({ unreadable, unrouted, waits }: Watched): Finding[] {
  const findings = [...unreadable]
  if (unrouted !== undefined) {
    const message = `No route matches this line. Add a route to ${routesFile}, for example one with drop: true. Later lines may also have no route.`
    findings.push({ line: unrouted, severity: 'warning', code: 'unrouted', message })
  }
  if (waits !== undefined) findings.push(waits)
  return findings
}

function waitingFor(kind: 'none' | 'read'): Finding {
  const message =
    kind === 'none'
      ? `Messages in this file stay queued, because ${routesFile} does not exist. Create it to route them.`
      : `Messages in this file stay queued until ${routesFile} is valid.`
  return { severity: 'warning', code: 'waiting', message }
}

function findingOf({ line, severity, code, message, fix }: Diagnostic): Finding {
  return {
    ...(line !== undefined && { line }),
    code,
    severity: severity === 'error' ? 'error' : 'warning',
    message: fix === undefined ? message : `${message} ${fix}`,
  }
}
