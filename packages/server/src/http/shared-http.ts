/**
 * Owns the daemon's HTTP server, which channels and the page share.
 *
 * 1. It listens only while it is needed: by a channel that receives requests, or by a person who has run `cadre open`.
 * 2. When one of them no longer needs it, it stays open for the other.
 */
import type { PostHandler, Problems } from '@cadre/channels'
import type { Site } from './site.ts'
import type { Http, HttpOptions, HttpPurpose } from './start-http.ts'

export interface HttpPlace {
  readonly host: string | undefined
  readonly port: number | undefined
  readonly hosts: readonly string[] | undefined
  readonly problems: Problems
}

export interface SharedHttp {
  /** Opens the paths of channels. */
  openPosts(place: HttpPlace, posts: ReadonlyMap<string, PostHandler>): Promise<Listening>
  /** Opens the site. `make` receives the port, because the site's host check includes it. */
  openSite(place: HttpPlace, make: (http: Pick<Http, 'port' | 'address'>) => Site): Promise<Listening>
}

export interface Listening {
  readonly address: string
  readonly port: number
  close(): Promise<void>
}

const forPage: HttpPurpose = {
  name: 'the page',
  remedy: 'Change daemon.port or daemon.host in config.yaml.',
}

/** Loaded on first use, because most daemons do not need a server. */
async function startServer(options: HttpOptions): Promise<Http> {
  return (await import('./start-http.ts')).startHttp(options)
}

export function createSharedHttp(start: typeof startServer = startServer): SharedHttp {
  let server: Promise<Http> | undefined
  let posts: ReadonlyMap<string, PostHandler> | undefined
  let site: Site | undefined
  let users = 0

  const open = async (place: HttpPlace, purpose?: HttpPurpose): Promise<Http> => {
    users += 1
    server ??= start({
      ...place,
      purpose,
      posts: { get: (path) => posts?.get(path) },
      site: () => site,
    })
    try {
      return await server
    } catch (error) {
      users -= 1
      if (users === 0) server = undefined
      throw error
    }
  }
  const close = async () => {
    users -= 1
    const closing = server
    if (users > 0) return
    server = undefined
    await (await closing)?.close()
  }
  const listening = ({ address, port }: Http, leave: () => void): Listening => {
    let isClosed = false
    return {
      address,
      port,
      async close() {
        if (isClosed) return
        isClosed = true
        leave()
        await close()
      },
    }
  }
  return {
    async openPosts(place, handlers) {
      posts = handlers
      return listening(await open(place), () => {
        if (posts === handlers) posts = undefined
      })
    },
    async openSite(place, make) {
      const http = await open(place, forPage)
      const own = make(http)
      site = own
      return listening(http, () => {
        if (site === own) site = undefined
        own.close()
      })
    },
  }
}
