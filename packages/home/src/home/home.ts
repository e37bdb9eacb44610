/** The folder with all of Cadre's data for a project. Opening it creates nothing. */
export interface Home {
  readonly path: string
  /** Returns a path inside it. */
  at(...names: string[]): string
  /** Returns a folder inside it, and creates it if necessary. The first call creates the home and excludes it from the project's git. */
  folder(...names: string[]): string
}
