import { listAllModels } from '@cadre/backends'

export interface LocalServer {
  readonly name: string
  readonly baseUrl: string
  readonly models: readonly string[]
}

/** Default ports of programs that run models, only on this machine. */
const defaultPorts = [
  ['Ollama', 11434],
  ['LM Studio', 1234],
  ['vLLM', 8000],
] as const

/** In milliseconds: a server on this machine answers quickly. */
const limit = 700

/** Returns the model servers that answer on this machine. `ports` replaces the default ones in tests. */
export async function findLocalServers(
  cwd: string,
  ports: readonly (readonly [name: string, port: number])[] = defaultPorts,
): Promise<LocalServer[]> {
  const found = await Promise.all(
    ports.map(async ([name, port]): Promise<LocalServer[]> => {
      const baseUrl = `http://127.0.0.1:${port}/v1`
      // With an empty environment, so that no key is sent to an unknown server.
      const [listed] = await listAllModels({
        config: { openai: { baseUrl } },
        env: {},
        cwd,
        limit,
        only: ['openai'],
      })
      if (listed === undefined || listed.trouble !== undefined) return []
      return [{ name, baseUrl, models: listed.models.map(({ id }) => id.slice('openai:'.length)) }]
    }),
  )
  return found.flat()
}
