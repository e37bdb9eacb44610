import { existsSync } from 'node:fs'
import path from 'node:path'
import type { CadreEvent, Question, Report, RunResult } from '@cadre/core'
import { isInside } from '@cadre/disk'
import type { FilePreview } from '@cadre/tools'
import * as vscode from 'vscode'
import { capital } from '../capital.ts'
import { closingFence, escapeMarkdown, noticeText } from '../markdown.ts'
import { approvalButtons } from './approval-buttons.ts'
import { approvalText, decisionText } from './approval-text.ts'
import type { ChatStream } from './chat-stream.ts'
import { describeCallInChat } from './describe-call-in-chat.ts'
import { SessionNames } from './session-names.ts'

export interface FollowOptions {
  readonly chat: ChatStream
  readonly folder: vscode.WorkspaceFolder
}

/** Beyond this, ended sessions are only shown as progress. */
const maxEndings = 30

/** Shows one run in one answer: the entry agent's text as it arrives, and the activity of all agents below. */
export class RunFollower {
  readonly #chat: ChatStream
  readonly #folder: string
  readonly #names = new SessionNames()
  /** The text shown of the last round of an entry session. */
  #shown = { session: '', round: 0, text: '' }
  readonly #calls = new Map<string, ReturnType<typeof describeCallInChat>>()
  readonly #noticed = new Set<string>()
  readonly #asked = new Set<string>()
  readonly #referred = new Set<string>()
  readonly #changed = new Set<string>()
  #ended = 0

  constructor({ chat, folder }: FollowOptions) {
    this.#chat = chat
    this.#folder = folder.uri.fsPath
  }

  onEvent(event: CadreEvent): void {
    switch (event.type) {
      case 'session.started':
        this.#names.add(event)
        this.#progress(event.session, event.resumed === true ? 'continuing' : 'starting')
        return
      case 'session.queued':
        this.#progress(event.session, 'waiting for a free slot')
        return
      case 'text.added':
        this.#say(event.session, event.round, event.text)
        return
      case 'reply.received':
        this.#complete(event.session, event.round, event.text)
        return
      case 'reply.delayed':
        this.#progress(event.session, event.ms === undefined ? event.reason : `waiting: ${event.reason}`)
        return
      case 'call.judged': {
        const key = `${event.session}\n${event.call}`
        this.#calls.set(key, describeCallInChat(event.tool, event.input))
        if (event.decision === 'deny')
          this.#progress(event.session, `${event.tool} was denied: ${event.reason ?? event.rule ?? ''}`)
        return
      }
      case 'call.started':
        this.#progress(event.session, this.#calls.get(`${event.session}\n${event.call}`)?.doing)
        return
      case 'call.progressed':
        this.#progress(event.session, event.text)
        return
      case 'call.settled':
        this.#settle(event)
        return
      case 'person.answered':
        if (this.#asked.delete(`${event.session}\n${event.question}`))
          this.#chat.tell(decisionText(event, this.#names.chainOf(event.session)))
        return
      case 'notice.added':
        this.notice(event.notice.message, event.session)
        return
      case 'session.ended':
        this.#end(event.session, event.report)
        return
      default:
        return
    }
  }

  /** Shows a question, with the call's changes to files. */
  async ask(
    session: string,
    question: Question,
    preview: () => Promise<readonly FilePreview[] | undefined>,
  ): Promise<void> {
    const key = `${session}\n${question.name}`
    this.#asked.add(key)
    // Without a preview, every argument is shown.
    const files = question.kind === 'approval' ? await preview().catch(() => undefined) : undefined
    // It may have been answered elsewhere meanwhile.
    if (!this.#asked.has(key)) return
    this.#chat.tell(approvalText({ question, chain: this.#names.chainOf(session), files }))
    approvalButtons(this.#chat, { session, question: question.name, choices: question.choices })
  }

  notice(message: string, session?: string): void {
    const label = session === undefined ? '' : this.#names.labelOf(session)
    const text = label === '' ? message : `${label}: ${message}`
    if (this.#noticed.has(text)) return
    this.#noticed.add(text)
    this.#chat.notice(text)
  }

  /**
   * Shows the final text together with earlier text as one part, because VS Code collapses everything before the last text
   * of an answer. Parts with buttons come after this.
   */
  finish(result: RunResult): void {
    if (result.kind === 'waiting') {
      this.#chat.tell('**Suspended.** Resume it to continue where it stopped.')
      return
    }
    const { report } = result
    const isRead = report.text.trim() === this.#shown.text.trim()
    const rest = isRead || report.status === 'cancelled' ? '' : `${this.#gap()}${report.text}`
    this.#chat.say(rest)
    const said = `${this.#shown.text}${rest}`
    const ending = [this.#changedText(), statusText(report), ...this.#newNotices(report)].filter(
      (text) => text !== '',
    )
    if (ending.length === 0) return
    this.#chat.say([said === '' ? '' : `${closingFence(said)}\n\n`, ending.join('\n\n')].join(''))
  }

  #say(session: string, round: number, text: string): void {
    if (!this.#names.isEntry(session)) return
    const isSame = this.#shown.session === session && this.#shown.round === round
    if (!isSame) {
      this.#chat.say(this.#gap())
      this.#shown = { session, round, text: '' }
    }
    this.#shown.text += text
    this.#chat.say(text)
  }

  /** Pieces may have been dropped; the received text is complete. */
  #complete(session: string, round: number, text: string): void {
    if (!this.#names.isEntry(session) || text === '') return
    const isSame = this.#shown.session === session && this.#shown.round === round
    const shown = isSame ? this.#shown.text : ''
    if (text.startsWith(shown) && text !== shown) this.#say(session, round, text.slice(shown.length))
  }

  #gap(): string {
    return this.#shown.text === '' ? '' : '\n\n'
  }

  #settle(event: Extract<CadreEvent, { type: 'call.settled' }>): void {
    const { session, call, outcome, content } = event
    const { path: file, writes, doing } = this.#calls.get(`${session}\n${call}`) ?? {}
    if (outcome === 'failed' && doing !== undefined)
      this.#progress(session, `${doing} failed: ${firstLine(content)}`)
    if (outcome !== 'done' || file === undefined) return
    const found = path.resolve(this.#folder, file)
    if (!isInside(this.#folder, found) || !existsSync(found)) return
    if (writes) this.#changed.add(found)
    if (this.#referred.has(found)) return
    this.#referred.add(found)
    this.#chat.reference(vscode.Uri.file(found))
  }

  #changedText(): string {
    if (this.#changed.size === 0) return ''
    const links = [...this.#changed].map(
      (file) => `[${escapeMarkdown(path.relative(this.#folder, file))}](${vscode.Uri.file(file).toString()})`,
    )
    return `Changed files: ${links.join(', ')}`
  }

  #newNotices({ notices = [], status }: Report): string[] {
    // VS Code shows the reason of a failure as the error.
    const told = status === 'error' ? notices.slice(0, -1) : notices
    return told.filter(({ message }) => !this.#noticed.has(message)).map(({ message }) => noticeText(message))
  }

  #end(session: string, report: Report): void {
    if (this.#names.isEntry(session)) return
    const problem = report.notices?.at(-1)?.message
    const said: Record<Report['status'], string> = {
      completed: 'done',
      incomplete: `incomplete${problem === undefined ? '' : `: ${firstLine(problem)}`}`,
      error: `failed${problem === undefined ? '' : `: ${firstLine(problem)}`}`,
      cancelled: 'stopped',
    }
    this.#ended += 1
    // Progress disappears with the next event, but results stay.
    if (this.#ended > maxEndings) {
      this.#progress(session, said[report.status])
      return
    }
    const words = report.status === 'completed' ? firstLine(report.text) : said[report.status]
    const mark = report.status === 'completed' ? '✓' : '✗'
    this.#chat.tell(`${mark} **${escapeMarkdown(this.#names.labelOf(session))}** ${escapeMarkdown(words)}`)
  }

  #progress(session: string, text: string | undefined): void {
    if (text === undefined) return
    const label = this.#names.labelOf(session)
    // The start and end of the entry agent are visible anyway.
    if (label === '' && /^(starting|done)$/.test(text)) return
    this.#chat.progress(label === '' ? capital(text) : `${label}: ${text}`)
  }
}

function statusText({ status, agent }: Report): string {
  switch (status) {
    case 'completed':
      return ''
    case 'incomplete':
      return `**Incomplete.** ${escapeMarkdown(agent)} stopped before it finished.`
    case 'cancelled':
      return '**Stopped.** Everything that was running has ended.'
    case 'error':
      return `**Failed.** ${escapeMarkdown(agent)} could not finish.`
  }
}

function firstLine(text: string): string {
  const line = text.trim().split('\n')[0] ?? ''
  return line.length > 200 ? `${line.slice(0, 200)} …` : line
}
