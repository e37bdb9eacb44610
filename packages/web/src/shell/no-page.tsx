import { visibleLine } from '../parts/show-hidden.ts'
import { hrefOf } from './route.ts'

/** Shown for an address that does not belong to any view, for example because of a typo. */
export function NoPage({ path }: { readonly path: string }) {
  return (
    <p class="empty" role="alert">
      There is no page at {visibleLine(path)}. <a href={hrefOf('runs')}>Go to Runs</a>
    </p>
  )
}
