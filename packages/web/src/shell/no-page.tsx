import { visibleLine } from '../parts/show-hidden.ts'
import { hrefOf } from './route.ts'

/** Shown for an address that does not belong to any view, for example because of a typo. */
export function NoPage({ path }: { readonly path: string }) {
  return (
    <div class="empty" role="alert">
      <h1>Page not found</h1>
      <p>
        There is no page at {visibleLine(path)}. <a href={hrefOf('runs')}>Go to Runs</a>
      </p>
    </div>
  )
}
