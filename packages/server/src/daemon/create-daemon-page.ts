import { type JsonObject, sentenceOf } from '@cadre/core'
import { approvalsIn, findSandbox } from '@cadre/gate'
import { daemonLeaseName, runningProcess } from '@cadre/home'
import { readSessionBytes } from '@cadre/journal'
import type { Environment } from '@cadre/runtime'
import type { PagePorts } from '../http/create-page.ts'
import { consumeLogin } from '../http/guard/login-file.ts'
import type { People } from '../http/guard/people.ts'
import { voteObjection } from '../http/guard/voter-of.ts'
import { pageFolder } from '../http/page-folder.ts'
import { problemItems } from '../http/problem-items.ts'
import type { SharedHttp } from '../http/shared-http.ts'
import { openStaticFiles } from '../http/static-files.ts'
import { createPageDuty, type PageDuty } from './page-duty.ts'
import type { PageParts } from './page-parts.ts'

export interface DaemonPageOptions {
  readonly environment: Environment
  readonly version: string
  readonly people?: People
  /** The folder with the files of the page. Default: those that belong to this package. */
  readonly files?: string
}

/** The page of a daemon, with everything that a daemon can do. */
export function createDaemonPage(parts: PageParts, http: SharedHttp, options: DaemonPageOptions): PageDuty {
  const { daemon, runtime } = parts
  const { home, problems } = daemon
  const { environment, version, people, files = pageFolder() } = options
  const ports: PagePorts = {
    home,
    environment,
    workspace: daemon.workspace,
    version,
    readOnly: false,
    sandbox: async () => (await findSandbox(environment.env)).kind === 'bubblewrap',
    sessions: {
      read: (id) => runtime.engine.read(id),
      bytes: (id) => readSessionBytes(home, id),
    },
    approvals: {
      async of(sessions) {
        const all = await Promise.all(sessions.map((id) => runtime.engine.read(id)))
        return all.flatMap((stored) => (stored === undefined ? [] : approvalsIn(stored)))
      },
      async objections(caller) {
        const { voters } = runtime.approvals
        return (record) =>
          voteObjection(record, caller, { voters, home, read: (id) => runtime.engine.read(id) })
      },
      decide: (record, answer, caller) => parts.decide(record, answer, caller),
    },
    status() {
      const owner = runningProcess(home, daemonLeaseName)
      const facts =
        owner === undefined ? { running: false } : { running: true, pid: owner.pid, host: owner.host }
      return { ...(parts.status() as unknown as JsonObject), ...facts, home: home.path }
    },
    problems: () => problemItems(problems.list()),
    takeLogin: (secret) => consumeLogin(home, secret),
    operate: { daemon, orchestrator: parts.orchestrator, registry: parts.registry },
  }
  return createPageDuty({
    home,
    http,
    place() {
      const { host, port, hosts } = parts.settings()
      return { host, port, hosts, problems }
    },
    ports,
    files: openStaticFiles(files),
    ...(people && { people }),
    failed: (error) =>
      problems.report('page', '[page]', [
        { severity: 'error', message: `Cannot answer a request: ${sentenceOf(error)}` },
      ]),
    opened: parts.changed,
  })
}
