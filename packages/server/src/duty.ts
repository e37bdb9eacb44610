/**
 * One thing the daemon keeps an eye on. The daemon calls one method of a duty at a time, and never two of the same duty at once.
 * A duty that rejects is reported as a problem and called again at the next change: it never stops the others.
 */
export interface Duty {
  readonly name: string
  /** Folders of the home, relative, that it wants to hear of. Not what is in folders below them. */
  readonly folders: readonly string[]
  /** Looks at everything there is: what happened while nobody watched is taken up here. */
  start(): Promise<void>
  /** These files came, went or changed, and have been quiet for a moment. Relative to the home, with `/` between names. */
  changed(files: readonly string[]): Promise<void>
  /** A moment every second, for what depends on time. */
  tick?(now: number): Promise<void>
  /** True while a call has left work for the next one: `tick` comes again at once, and a stop or a change can come in between. */
  hasMore?(): boolean
  /** Numbers for `cadre status`, such as open and running tasks. */
  counts?(): Readonly<Record<string, number>>
  /** Puts everything in order; nothing is called afterwards. */
  stop?(): Promise<void>
}
