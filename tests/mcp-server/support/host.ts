/** A host of the MCP server of Cadre: the SDK's client, connected to the real server, with a real home and the scripted model. */
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { Client, type ClientOptions } from '@modelcontextprotocol/client'
import { onTestFinished } from 'vitest'
import { openUserHomes } from '../../../packages/home/src/index.ts'
import {
  type DelegatedRun,
  executeDelegatedRun,
  serveMcpStdio,
} from '../../../packages/protocols/src/index.ts'
import { streamTransport } from './stream-transport.ts'

export interface World {
  readonly folder: string
  readonly environment: {
    readonly env: NodeJS.ProcessEnv
    readonly cwd: string
    readonly warn: (message: string) => void
  }
  /** Messages of the server for the user. */
  readonly warnings: readonly string[]
  /** The ids of the processes that were started, in order. */
  readonly launched: readonly string[]
  at(...names: string[]): string
  write(file: string, content: string | object): void
  connect(options?: ConnectOptions): Promise<Host>
  /** Resolves when no delegated run is working any more, except this one. */
  idle(except?: string): Promise<void>
}

export interface ConnectOptions {
  readonly name?: string
  readonly client?: ClientOptions
  readonly readOnly?: boolean
  /** Does not start the process of a run. */
  readonly launches?: boolean
}

export interface Host {
  readonly client: Client
  /**
   * The text of the answer. `isError` answers begin with `ERROR: `. Waits for the end of a run or a question, unless `wait_seconds` or
   * options are given.
   */
  call(tool: string, input?: object, options?: Parameters<Client['callTool']>[1]): Promise<string>
  /** Ends the connection as a host that is killed does. */
  kill(): Promise<void>
}

/** A project with a playbook for the scripted model, whose home belongs to the user. */
export function createWorld(lanes: object, files: Readonly<Record<string, string | object>> = {}): World {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-mcp-')))
  const at = (...names: string[]) => path.join(folder, ...names)
  const env: NodeJS.ProcessEnv = {
    PATH: process.env['PATH'],
    HOME: at('user'),
    USER: 'tester',
    CADRE_MODEL: `scripted:${at('playbook.yaml')}`,
  }
  const warnings: string[] = []
  const launched: string[] = []
  const working = new Map<Promise<unknown>, string>()
  const stop = new AbortController()
  const closing: (() => Promise<void>)[] = []
  const world: World = {
    folder,
    environment: { env, cwd: at('project'), warn: (message) => void warnings.push(message) },
    warnings,
    launched,
    at,
    write(file, content) {
      mkdirSync(path.dirname(at(file)), { recursive: true })
      writeFileSync(at(file), typeof content === 'string' ? content : JSON.stringify(content))
    },
    async connect({ name = 'test-host', client: options, readOnly, launches = true } = {}) {
      const [toServer, toClient] = [new PassThrough(), new PassThrough()]
      const launch = ({ id }: DelegatedRun) => {
        launched.push(id)
        if (!launches) return
        const run = executeDelegatedRun({ environment: world.environment, id }, stop.signal).catch(() => {})
        working.set(run, id)
        void run.finally(() => working.delete(run))
      }
      const end = new AbortController()
      const served = serveMcpStdio(
        {
          environment: world.environment,
          workspace: at('project'),
          version: '0.0.0',
          readOnly,
          launch,
          input: toServer,
          output: toClient,
        },
        end.signal,
      )
      const client = new Client({ name, version: '1.0.0' }, options)
      await client.connect(streamTransport(toClient, toServer))
      const kill = async () => {
        end.abort()
        await served
      }
      closing.push(kill)
      const host: Host = {
        client,
        kill,
        async call(tool, input = {}, more) {
          const text = await once(client, tool, input, more)
          const isWaiting =
            tool === 'wait_for_run' || (tool === 'delegate_work' && !('wait_seconds' in input))
          if (!isWaiting || more !== undefined || !/^Run .*: (?:starting|running|resuming)\./.test(text))
            return text
          // On a busy machine, one call may not be enough.
          return host.call('wait_for_run', { run: runIn(text) })
        },
      }
      return host
    },
    async idle(except) {
      await Promise.all([...working].flatMap(([run, id]) => (id === except ? [] : [run])))
    },
  }
  onTestFinished(async () => {
    stop.abort()
    for (const close of closing) await close()
    await world.idle()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  world.write('playbook.yaml', { lanes })
  mkdirSync(at('project'), { recursive: true })
  for (const [file, content] of Object.entries(files)) world.write(path.join('project', file), content)
  if (existsSync(at('project', '.cadre')))
    openUserHomes(at('user', '.config', 'cadre', 'homes.jsonl')).add(at('project', '.cadre'))
  return world
}

async function once(
  client: Client,
  tool: string,
  input: object,
  options: Parameters<Client['callTool']>[1],
): Promise<string> {
  const { content, isError } = await client.callTool({ name: tool, arguments: { ...input } }, options)
  const text = (content as { text: string }[]).map((one) => one.text).join('\n')
  return isError === true ? `ERROR: ${text}` : text
}

/** The id of the run in an answer. */
export function runIn(text: string): string {
  const id = /^(?:ERROR: )?Run (\S+?)(?: \(|:)/.exec(text)?.[1]
  if (id === undefined) throw new Error(`no run in: ${text}`)
  return id
}
