type Report = (session: string, message: string | undefined) => void

const unreachable = 'cannot reach the Restate server'

/** Whether a problem says that the server did not answer. */
export function isOutage(message: string | undefined): boolean {
  return message?.includes(unreachable) === true
}

/** Remembers which sessions show that the server did not answer, because a request that hangs since does not correct it. */
export class OutageReports {
  readonly #shown = new Map<Report, Set<string>>()

  /** Returns a function that reports, and remembers it. */
  of(report: Report): Report {
    const shown = new Set<string>()
    this.#shown.set(report, shown)
    return (session, message) => {
      if (isOutage(message)) shown.add(session)
      else shown.delete(session)
      report(session, message)
    }
  }

  /** The server answers again. */
  clear(): void {
    for (const [report, shown] of this.#shown) {
      for (const session of shown) report(session, undefined)
      shown.clear()
    }
  }
}
