/**
 * Owns an editor session's runtime and conversation, and the person's choices for them.
 *
 * 1. A new runtime is complete before it replaces the earlier one, so that a failed choice has no effect.
 * 2. A session file keeps the controls that it was started with. If they differ from those of the mode and the flags, the next message starts
 *    another file. So a restriction applies from the next message on, regardless of earlier choices.
 */
import { CadreError, type Controls, type StoredSession } from '@cadre/core'
import type { TrustItem } from '@cadre/home'
import type { ServerConfig } from '@cadre/mcp'
import {
  Conversation,
  chooseAgent,
  createRuntime,
  type Environment,
  type Runtime,
  type RuntimeOptions,
  reportAgentProblems,
  teamForRun,
} from '@cadre/runtime'
import { type Choices, controlsForMode, defaultModel, modes, noTeam } from './config-options.ts'
import { nameOfPart, sessionPartsOf } from './session-parts.ts'

/** The flags of `cadre acp`, which apply to every session. */
export type AcpFlags = Pick<
  RuntimeOptions,
  | 'home'
  | 'team'
  | 'agent'
  | 'model'
  | 'trust'
  | 'allow'
  | 'noHuman'
  | 'readOnly'
  | 'approvalRequired'
  | 'denyTool'
>

export interface SessionRuntimeOptions {
  /** The editor session's id. */
  readonly id: string
  readonly cwd: string
  readonly environment: Environment
  readonly flags: AcpFlags
  readonly mcpServers: readonly ServerConfig[]
  /** How runs reach the editor. */
  readonly ports: Pick<RuntimeOptions, 'documents' | 'watchCommand' | 'ask' | 'elicit' | 'onEvent' | 'tell'>
  /** The trace that the next session belongs to. */
  readonly trace: () => string | undefined
}

/** What an earlier session was started with. */
export interface EarlierSession {
  readonly last: StoredSession
  /** What `--trust` covered. */
  readonly granted?: readonly TrustItem[] | undefined
}

const howToTrust =
  'Inspect these files. Cadre asks in the editor whether to trust them; you can also answer in a terminal, with "cadre run", or add --trust to "cadre acp" in the editor\'s settings.'

export class SessionRuntime {
  readonly #options: SessionRuntimeOptions
  #choices: Choices
  #current: { readonly runtime: Runtime; conversation: Conversation } | undefined
  #granted: readonly TrustItem[] | undefined
  #targets: readonly string[] | undefined
  /** Tools that the earlier session denied. */
  readonly #denied: readonly string[]
  #isPaused = false

  constructor(options: SessionRuntimeOptions, earlier?: EarlierSession) {
    this.#options = options
    const { agent, team, model } = options.flags
    const spec = earlier?.last.spec
    const ofRun = spec && teamForRun(spec)
    const wanted = spec === undefined ? { agent, team } : { agent: undefined, team: ofRun?.team }
    this.#choices = {
      ...(wanted.agent !== undefined && { agent: wanted.agent }),
      ...(wanted.team !== undefined && { team: wanted.team }),
      ...(model !== undefined && { model }),
      mode: spec?.controls?.readOnly ? 'read-only' : spec?.controls?.approvalRequired ? 'ask' : 'default',
      delegation: spec?.delegation ?? true,
    }
    this.#granted = earlier?.granted
    this.#targets = ofRun?.targets
    this.#denied = spec?.controls?.deniedTools ?? []
  }

  get runtime(): Runtime {
    return this.#opened.runtime
  }

  get conversation(): Conversation {
    return this.#opened.conversation
  }

  get choices(): Choices & { readonly agent: string } {
    return { ...this.#choices, agent: this.conversation.agent.name }
  }

  /** Changes an option. Rejects with `usage` if the value is unknown, and if the option needs an idle session. */
  async choose(option: string, value: string | boolean, isBusy: boolean): Promise<void> {
    const text = () => {
      if (typeof value === 'string') return value
      throw invalidValue(option, value)
    }
    switch (option) {
      case 'agent':
        this.#chooseAgent(text())
        return
      case 'model':
        await this.#chooseModel(text())
        return
      case 'mode': {
        const mode = modes.find(({ id }) => id === value)?.id
        if (mode === undefined) throw invalidValue(option, value)
        if (mode !== this.#choices.mode) await this.#reopen({ ...this.#choices, mode }, isBusy)
        return
      }
      case 'team': {
        const { team: _, agent: __, ...others } = this.#choices
        const team = text()
        await this.#reopen({ ...others, ...(team !== noTeam && { team }) }, isBusy)
        // A conversation keeps its agent, but this person wants the team's.
        this.#chooseAgent(undefined)
        return
      }
      case 'delegation':
        if (typeof value !== 'boolean') throw invalidValue(option, value)
        await this.#reopen({ ...this.#choices, delegation: value }, isBusy)
        return
      default:
        throw new CadreError('usage', `there is no option ${JSON.stringify(option)}.`)
    }
  }

  /** Trusts these items, as they are now, for this session. */
  async grant(items: readonly TrustItem[]): Promise<void> {
    this.#granted = [...(this.#granted ?? []), ...items]
    await this.open()
  }

  /** Opens a runtime with the current choices, and closes the earlier one. */
  async open(more: Pick<RuntimeOptions, 'confirmTrust'> = {}): Promise<void> {
    const { environment, flags, mcpServers, cwd, ports } = this.#options
    const { team, agent, model } = this.#choices
    const { readOnly, approvalRequired, deniedTools = [] } = this.#controls
    const runtime = await createRuntime({
      ...flags,
      readOnly,
      approvalRequired,
      denyTool: deniedTools,
      team,
      agent,
      model,
      targets: this.#targets,
      granted: this.#granted,
      workspace: cwd,
      // A copy, because a run removes entries from PATH.
      environment: { ...environment, cwd, env: { ...environment.env } },
      mcpServers,
      howToTrust,
      ...ports,
      ...more,
    })
    try {
      const conversation = await this.#converse(runtime)
      await this.#current?.runtime.close()
      this.#current = { runtime, conversation }
    } catch (error) {
      await runtime.close()
      throw error
    }
    if (this.#isPaused) runtime.orchestrator.pause({ breaksOff: true })
    reportAgentProblems(runtime, this.conversation.agent)
  }

  /** Suspends all running and future turns. */
  pause(): void {
    this.#isPaused = true
    this.#current?.runtime.orchestrator.pause({ breaksOff: true })
  }

  async close(): Promise<void> {
    await this.#current?.runtime.close()
  }

  #chooseAgent(name: string | undefined): void {
    this.conversation.agent = chooseAgent(this.runtime, name)
    this.#choices = { ...this.#choices, agent: this.conversation.agent.name }
  }

  async #chooseModel(value: string): Promise<void> {
    const { model: _, ...others } = this.#choices
    if (value === defaultModel) {
      this.#choices = others
      this.#opened.conversation = await this.#converse(this.runtime)
      return
    }
    const found = await this.runtime.models.resolve(value)
    if (found.kind === 'unknown') throw new CadreError(found.code ?? 'unknown_model', found.reason)
    this.#choices = { ...others, model: found.model.id }
    this.conversation.chooseModel(found.model.id)
  }

  /** Changes the runtime's settings. If that fails, the earlier settings remain. */
  async #reopen(choices: Choices, isBusy: boolean): Promise<void> {
    if (isBusy)
      throw new CadreError(
        'owned',
        'This option cannot be changed while a turn is running. Cancel the turn, or wait for it to finish.',
      )
    const before = { choices: this.#choices, targets: this.#targets }
    this.#choices = choices
    this.#targets = undefined
    try {
      await this.open()
    } catch (error) {
      this.#choices = before.choices
      this.#targets = before.targets
      throw error
    }
  }

  async #converse(runtime: Runtime): Promise<Conversation> {
    const { id, cwd, trace } = this.#options
    const { agent, model, delegation } = this.#choices
    const last = sessionPartsOf(runtime, id).at(-1)
    const stored = last === undefined ? undefined : await runtime.read(last)
    const conversation = new Conversation({
      runtime,
      workspace: cwd,
      agent: stored === undefined || agent !== undefined ? chooseAgent(runtime, agent) : stored.spec.agent,
      model,
      delegation,
      startWith: () => {
        const traceparent = trace()
        return {
          id: nameOfPart(id, sessionPartsOf(runtime, id).length + 1),
          ...(traceparent !== undefined && { trace: traceparent }),
        }
      },
    })
    if (stored === undefined) return conversation
    const wanted = conversation.agent
    conversation.takeUp(stored)
    if (agent !== undefined) conversation.agent = wanted
    if (!isSameControls(stored.spec.controls ?? {}, this.#controls)) conversation.startAnew()
    return conversation
  }

  /** The restrictions from the mode, the flags and the earlier session. */
  get #controls(): Controls {
    const { flags } = this.#options
    const { readOnly, approvalRequired } = controlsForMode(this.#choices.mode)
    const deniedTools = [...new Set([...(flags.denyTool ?? []), ...this.#denied])]
    return {
      ...((flags.readOnly || readOnly) && { readOnly: true }),
      ...((flags.approvalRequired || approvalRequired) && { approvalRequired: true }),
      ...(deniedTools.length > 0 && { deniedTools }),
    }
  }

  get #opened(): { readonly runtime: Runtime; conversation: Conversation } {
    if (this.#current === undefined) throw new Error('unreachable: the runtime is not open')
    return this.#current
  }
}

function isSameControls(a: Controls, b: Controls): boolean {
  const tools = ({ deniedTools = [] }: Controls) => [...deniedTools].sort().join('\n')
  return (
    (a.readOnly ?? false) === (b.readOnly ?? false) &&
    (a.approvalRequired ?? false) === (b.approvalRequired ?? false) &&
    tools(a) === tools(b)
  )
}

function invalidValue(option: string, value: string | boolean): CadreError {
  return new CadreError(
    'usage',
    `${JSON.stringify(value)} is not a valid value for the option ${JSON.stringify(option)}.`,
  )
}
