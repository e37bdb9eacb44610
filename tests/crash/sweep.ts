import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { copyFolder } from './copy-folder.ts'
import { seed } from './seed.ts'
import { inFreshFolder, inParallel, type Play, type Victims } from './victims.ts'

/** At every such point, a process kills itself, and new processes continue. */
const share = 10
const width = 3

export interface Sweep {
  /** A folder with a prepared home; absent: an empty home. */
  readonly prepared?: string
  readonly args: readonly string[]
  /** Continues in a home whose process died at this point, with `play`, and returns the final errors. */
  check(home: string, play: Play, at: number): Promise<readonly string[]>
}

export interface Swept {
  readonly points: number
  /** Points at which a process was killed, in addition to the snapshots. */
  readonly killed: number
  readonly faults: readonly string[]
}

/**
 * Checks the state after a crash at every point of a program. One process runs to its end and copies the disk at each
 * point; `kill-points.ts` explains why that equals a kill.
 */
export function sweep(victims: Victims, { prepared, args, check }: Sweep): Promise<Swept> {
  return inFreshFolder(async (folder) => {
    const prepare = (name: string): string => {
      const into = join(folder, name)
      if (prepared === undefined) mkdirSync(join(into, 'home'), { recursive: true })
      else copyFolder(prepared, into)
      return join(into, 'home')
    }
    const snapshots = join(folder, 'points')
    const { points } = await victims.recorded(prepare('whole'), args, snapshots)
    const faults: string[] = []
    let killed = 0
    const works = Array.from({ length: points }, (_, index) => index + 1).flatMap((at) => {
      const snapshot = async () => {
        const home = join(snapshots, String(at), 'home')
        faults.push(...(await faultsAt(`point ${at}`, check(home, victims.here, at))))
        rmSync(join(snapshots, String(at)), { recursive: true })
      }
      const death = async () => {
        const home = prepare(`killed-${at}`)
        const end = await victims.killed(home, args, at)
        if (end.kind === 'killed') killed += 1
        // Concurrent syncs are merged differently each time, so runs differ by a point or two.
        else if (end.points >= at) faults.push(`point ${at}: was not killed but ended with ${end.kind}`)
        faults.push(...(await faultsAt(`killed at point ${at}`, check(home, victims.alone, at))))
        rmSync(join(folder, `killed-${at}`), { recursive: true })
      }
      return at % share === seed % share ? [snapshot, death] : [snapshot]
    })
    await inParallel(works, width, (work) => work())
    // A killed run may be a few percent shorter than the recorded one.
    if (killed < (points / share) * 0.9) faults.push(`of ${points} points only ${killed} killed a process`)
    return { points, killed, faults }
  })
}

async function faultsAt(where: string, checked: Promise<readonly string[]>): Promise<string[]> {
  try {
    return (await checked).map((fault) => `${where}: ${fault}`)
  } catch (error) {
    return [`${where}: ${error instanceof Error ? error.stack : error}`]
  }
}
