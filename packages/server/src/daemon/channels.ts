/**
 * Owns the configured channels, and the HTTP server that receives their requests.
 *
 * 1. Only configured channels are loaded. One that cannot start is reported as a problem, and does not affect others.
 * 2. A changed configuration stops all channels and starts the new ones. Changes are handled one at a time.
 */

import type { Channel, ChannelContext, ChannelFactories, PostHandler, Problems } from '@cadre/channels'
import { type JsonObject, messageOf, sentenceOf } from '@cadre/core'
import type { DaemonConfig } from '@cadre/home'

export interface Listening {
  /** Its address, such as `http://127.0.0.1:7373`. */
  readonly address?: string
  close(): Promise<void>
}

export type Listen = (request: {
  readonly host: string | undefined
  readonly port: number | undefined
  /** Additional host names that it accepts. */
  readonly hosts: readonly string[] | undefined
  readonly problems: Problems
  /** The current handlers, by path. */
  readonly posts: ReadonlyMap<string, PostHandler>
}) => Promise<Listening>

export interface ChannelsOptions {
  readonly factories: ChannelFactories
  readonly listen: Listen | undefined
  readonly settings: () => DaemonConfig
  readonly problems: Problems
  readonly context: (name: string, settings: JsonObject, onPost: ChannelContext['onPost']) => ChannelContext
}

export class Channels {
  readonly #options: ChannelsOptions
  #channels: Channel[] = []
  readonly #posts = new Map<string, PostHandler>()
  #listening: Promise<Listening | undefined> | undefined
  #address: string | undefined
  #configured = '{}'
  #last: Promise<void> = Promise.resolve()

  constructor(options: ChannelsOptions) {
    this.#options = options
  }

  list(): readonly Channel[] {
    return this.#channels
  }

  /** The address of the HTTP server, or `undefined` if it is not running. */
  get address(): string | undefined {
    return this.#address
  }

  configure(wanted: Readonly<Record<string, JsonObject>>): Promise<void> {
    this.#last = this.#last.then(() => this.#configure(wanted))
    return this.#last
  }

  stop(): Promise<void> {
    this.#last = this.#last.then(() => this.#stop())
    return this.#last
  }

  async #configure(wanted: Readonly<Record<string, JsonObject>>): Promise<void> {
    const { host, port, hosts } = this.#options.settings()
    const configured = Object.keys(wanted).length === 0 ? '{}' : JSON.stringify([wanted, host, port, hosts])
    if (configured === this.#configured) return
    await this.#stop()
    this.#configured = configured
    for (const [name, settings] of Object.entries(wanted)) await this.#start(name, settings)
  }

  async #start(name: string, settings: JsonObject): Promise<void> {
    const { factories, problems, context } = this.#options
    const attempt = async () => {
      const create = Object.hasOwn(factories, name) ? factories[name] : undefined
      if (create === undefined)
        throw new Error(
          `There is no channel with this name. Known: ${Object.keys(factories).join(', ') || 'none'}`,
        )
      const onPost: ChannelContext['onPost'] = (path, handle) => {
        this.#posts.set(path, handle)
        this.#listen()
      }
      const channel = await create(context(name, settings, onPost), name)
      await this.#listening
      await channel.start()
      await this.#listening
      this.#channels.push(channel)
    }
    try {
      await attempt()
      problems.report('channel', `[${name}]`, [])
    } catch (error) {
      problems.report('channel', `[${name}]`, [{ severity: 'error', message: messageOf(error) }])
    }
  }

  #listen(): void {
    const { listen, settings, problems } = this.#options
    if (listen === undefined || this.#listening !== undefined) return
    const { host, port, hosts } = settings()
    this.#listening = listen({ host, port, hosts, problems, posts: this.#posts }).then(
      (listening) => {
        this.#address = listening.address
        return listening
      },
      (error) => {
        problems.report('channel', '[http]', [{ severity: 'error', message: messageOf(error) }])
        return undefined
      },
    )
  }

  async #stop(): Promise<void> {
    const channels = this.#channels
    this.#channels = []
    const ends = await Promise.allSettled(channels.map((channel) => channel.stop()))
    for (const [index, end] of ends.entries())
      if (end.status === 'rejected')
        this.#options.problems.report('channel', `[${channels[index]?.name}]`, [
          { severity: 'warning', message: `Cannot stop this channel: ${sentenceOf(end.reason)}` },
        ])
    const listening = await this.#listening
    this.#listening = undefined
    this.#address = undefined
    this.#posts.clear()
    this.#options.problems.report('channel', '[http]', [])
    await listening?.close()
  }
}
