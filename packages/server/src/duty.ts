/**
 * One job of the daemon. The daemon calls one method of a duty at a time. If a method rejects, the daemon reports a problem and calls the
 * duty again at the next change. Other duties are not affected.
 */
export interface Duty {
  readonly name: string
  /** The folders to watch, relative to the home, without subfolders. */
  readonly folders: readonly string[]
  /** Checks everything, including changes while no daemon was running. */
  start(): Promise<void>
  /**
   * Called when files were created, deleted or changed, after they have been unchanged for a moment. Paths are relative to the home, with
   * `/`.
   */
  changed(files: readonly string[]): Promise<void>
  /** Called every second, for work that depends on time. */
  tick?(now: number): Promise<void>
  /** True if a call left work for the next one. `tick` is then called again immediately, unless a stop or a change comes first. */
  hasMore?(): boolean
  /** Numbers for `cadre status`, such as open and running tasks. */
  counts?(): Readonly<Record<string, number>>
  /** Shuts down the duty. Nothing is called afterwards. */
  stop?(): Promise<void>
}
