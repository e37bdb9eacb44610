/**
 * The daemon's page. It listens only when a person has asked for it: a login file appears in `storage/logins`.
 */
import type { CadreEvent } from '@cadre/core'
import type { Home } from '@cadre/home'
import type { Duty } from '../duty.ts'
import type { Page, PagePorts } from '../http/create-page.ts'
import { loginFolder, removeOldLogins } from '../http/guard/login-file.ts'
import type { People } from '../http/guard/people.ts'
import type { HttpPlace, Listening, SharedHttp } from '../http/shared-http.ts'
import type { StaticFiles } from '../http/static-files.ts'

export interface PageDuty extends Duty {
  /** Its address, while it listens. */
  readonly address: string | undefined
  /** Takes an event of a session of the daemon. Never throws or blocks. */
  take(event: CadreEvent): void
  /** Whether somebody watches this tree now. */
  isWatched(root: string): boolean
  /** Sends events of a tree that runs in another process, which may be lost, to everybody who watches it. */
  show(root: string, events: readonly CadreEvent[]): void
  /** Problems or the status have changed. */
  noted(what: 'problems' | 'status'): void
}

export interface PageDutyOptions {
  readonly home: Home
  readonly http: SharedHttp
  readonly place: () => HttpPlace
  readonly ports: PagePorts
  readonly files: StaticFiles
  readonly people?: People
  readonly failed: (error: unknown) => void
  /** Called when the address is known, so that the status says it. */
  readonly opened: () => void
}

/** Seconds between two checks for ended processes, and for logins that nobody has used. */
const every = { processes: 3, logins: 60 }

export function createPageDuty(options: PageDutyOptions): PageDuty {
  const { home, http, place, files, people, failed, opened } = options
  const folder = loginFolder.join('/')
  let page: Page | undefined
  let listening: Listening | undefined
  let ticks = 0

  const open = async () => {
    if (listening !== undefined || removeOldLogins(home) === 0) return
    // Loaded with the first login: most daemons never need it.
    const [{ createPage }, { createSite }] = await Promise.all([
      import('../http/create-page.ts'),
      import('../http/site.ts'),
    ])
    if (page === undefined) {
      page = createPage(options.ports)
      await page.build()
    }
    const { context } = page
    const { host, hosts, ...rest } = place()
    listening = await http.openSite({ host, hosts, ...rest }, ({ port }) =>
      createSite({ context, place: { port, host, hosts }, files, failed, ...(people && { people }) }),
    )
    opened()
  }

  return {
    name: 'page',
    folders: [folder, 'sessions', 'tasks'],
    get address() {
      return listening?.address
    },
    start: open,
    async changed(changed) {
      if (changed.some((file) => file.startsWith(`${folder}/`))) await open()
      page?.changed(changed)
    },
    async tick() {
      ticks += 1
      if (page === undefined) return
      if (ticks % every.processes === 0) page.checkProcesses()
      if (ticks % every.logins === 0) removeOldLogins(home)
    },
    take: (event) => page?.take(event),
    isWatched: (root) => page?.context.hub.isWatched(root) ?? false,
    show(root, events) {
      for (const event of events) page?.context.hub.send({ type: 'event', root, event })
    },
    noted: (what) => page?.noted(what),
    async stop() {
      page?.stop()
      await listening?.close()
      listening = undefined
    },
  }
}
