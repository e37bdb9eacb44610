/** Every view has an address, so that people can link to it, and the browser's back button works. */
export const viewNames = [
  'runs',
  'waiting',
  'tasks',
  'timeline',
  'workspaces',
  'agents',
  'problems',
  'audit',
  'search',
  'sessions',
] as const

export type ViewName = (typeof viewNames)[number]

export interface Route {
  readonly view: ViewName
  /** The item that the view shows: a session, an approval or an agent. */
  readonly id?: string
  readonly query: Readonly<Record<string, string>>
  /** The path, if no view has it. */
  readonly missing?: string
}

/** Parses an address. An unknown path belongs to the first view, and `missing` contains the path. */
export function readRoute(path: string): Route {
  const { pathname, searchParams } = new URL(`http://page${path}`)
  const [name = '', id] = pathname
    .split('/')
    .filter((part) => part !== '')
    .map(decoded)
  const known = viewNames.find((one) => one === name)
  const view = known ?? 'runs'
  const query = Object.fromEntries(searchParams)
  if (known === undefined && name !== '') return { view, query, missing: decoded(pathname) }
  return id === undefined || view === 'runs' ? { view, query } : { view, id, query }
}

/** True in an exported file, which has no paths. Addresses then follow `#`. */
let isInFragment = false

export function keepAddressesInFragment(isKept = true): void {
  isInFragment = isKept
}

/** The current address, as `readRoute` expects it. */
export function addressIn({
  pathname,
  search,
  hash,
}: Pick<Location, 'pathname' | 'search' | 'hash'>): string {
  if (!isInFragment) return `${pathname}${search}`
  return hash.startsWith('#/') ? hash.slice(1) : '/'
}

/** Whether the browser itself follows links between views. */
export function followsLinksItself(): boolean {
  return isInFragment
}

/** The address of a view. */
export function hrefOf(view: ViewName, id?: string, query: Readonly<Record<string, string>> = {}): string {
  const path = view === 'runs' ? '/' : `/${view}${id === undefined ? '' : `/${encodedId(id)}`}`
  const search = new URLSearchParams(query).toString()
  return `${isInFragment ? '#' : ''}${search === '' ? path : `${path}?${search}`}`
}

/** The server treats a path with a dot as a file, so dots in ids are encoded. */
function encodedId(id: string): string {
  return encodeURIComponent(id).replaceAll('.', '%2E')
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
