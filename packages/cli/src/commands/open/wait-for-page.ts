import { CadreError } from '@cadre/core'
import { watchFolder } from '@cadre/disk'
import { daemonLeaseName, type Home, runningProcess } from '@cadre/home'
import { readStatus } from '@cadre/server'

const timeoutMs = 15_000

/** Waits until the daemon serves the page, and returns its address. The daemon starts to listen when it sees the login. */
export async function waitForPage(home: Home, waitMs = timeoutMs): Promise<string> {
  const address = () => {
    const owner = runningProcess(home, daemonLeaseName)
    const status = readStatus(home)
    // The status of an earlier daemon may still be there.
    return owner !== undefined && status?.pid === owner.pid ? status.page : undefined
  }
  const known = address()
  if (known !== undefined) return known
  const found = await new Promise<string | undefined>((resolve) => {
    const end = (result: string | undefined) => {
      clearTimeout(timer)
      watch.close()
      resolve(result)
    }
    const look = () => {
      const now = address()
      if (now !== undefined) end(now)
    }
    const timer = setTimeout(() => end(undefined), waitMs)
    const watch = watchFolder(home.at('storage'), look, { every: 200, persistent: true })
    look()
  })
  if (found !== undefined) return found
  throw new CadreError(
    'timeout',
    `the daemon did not open the page within ${waitMs / 1000} seconds. Check "cadre status" for problems, or restart it with "cadre down" and "cadre up".`,
  )
}
