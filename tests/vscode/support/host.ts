import http from 'node:http'
import { until } from './until.ts'

// biome-ignore lint/suspicious/noExplicitAny: the whole API of VS Code, which exists in the extension host only
type VsCodeApi = any

/** Runs functions of a test in the extension host of a window. */
export interface Host {
  /**
   * Runs this function in the extension host. It must be self-contained: it may use only `vscode`, its arguments and Node,
   * nothing else of the test's file. Arguments and result are sent as JSON.
   */
  run<Args extends unknown[], Result>(
    work: (vscode: VsCodeApi, ...args: Args) => Result | Promise<Result>,
    ...args: Args
  ): Promise<Result>
  /** Executes a command of VS Code and returns its result. */
  command(id: string, ...args: unknown[]): Promise<unknown>
  /** Waits until the host of a new window answers, and has the scripted models. */
  ready(): Promise<void>
}

/** An error that was thrown in the extension host. */
export class HostError extends Error {
  readonly code: string | undefined

  constructor({ name = 'Error', message, code }: { name?: string; message: string; code?: string }) {
    super(message)
    this.name = name
    this.code = code
  }
}

export function connectHost(socketPath: string): Host {
  const run: Host['run'] = async (work, ...args) => {
    const answer = JSON.parse(await post(socketPath, JSON.stringify({ source: work.toString(), args })))
    if (answer.error) throw new HostError(answer.error)
    return answer.value
  }
  return {
    run,
    command: (id, ...args) =>
      run((vscode, id, args) => vscode.commands.executeCommand(id, ...args), id, args),
    ready: async () => {
      await until('the extension host', () =>
        run(hasModels).catch((error: unknown) => {
          if (error instanceof HostError) throw error
          return false
        }),
      )
    },
  }
}

async function hasModels(vscode: VsCodeApi): Promise<boolean> {
  return (await vscode.lm.selectChatModels({ vendor: 'scripted' })).length > 0
}

function post(socketPath: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = http.request({ socketPath, method: 'POST', path: '/' }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (piece: string) => {
        text += piece
      })
      response.on('end', () => resolve(text))
      response.on('error', reject)
    })
    request.on('error', reject)
    request.end(body)
  })
}
