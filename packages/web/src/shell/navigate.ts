import { signal } from '@preact/signals'
import { addressIn, followsLinksItself, hrefOf, type Route, readRoute, type ViewName } from './route.ts'

/** The current route. */
export const route = signal<Route>({ view: 'runs', query: {} })

const here = () => addressIn(location)

/** Follows links, the back button and `navigate`. Call it once. */
export function startRouter(): void {
  const read = () => {
    route.value = readRoute(here())
  }
  addEventListener('popstate', read)
  document.addEventListener('click', (event) => {
    const link = (event.target as Element | null)?.closest?.('a')
    if (
      followsLinksItself() ||
      !(link instanceof HTMLAnchorElement) ||
      event.defaultPrevented ||
      event.button !== 0
    )
      return
    // The browser opens these itself: a new tab, a download, another server.
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    if (link.origin !== location.origin || link.target !== '' || link.hasAttribute('download')) return
    event.preventDefault()
    go(`${link.pathname}${link.search}`)
  })
  read()
}

export function navigate(view: ViewName, id?: string, query?: Readonly<Record<string, string>>): void {
  go(hrefOf(view, id, query))
}

/** Changes the address without adding an entry to the browser's history, for example while a person types a filter. */
export function replaceQuery(query: Readonly<Record<string, string>>): void {
  const { view, id } = route.value
  history.replaceState(null, '', hrefOf(view, id, query))
  route.value = readRoute(here())
}

function go(href: string): void {
  if (href.replace(/^#/, '') !== here()) history.pushState(null, '', href)
  route.value = readRoute(here())
}
