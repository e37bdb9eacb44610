import { createHash } from 'node:crypto'
import type { TrustItem } from '@cadre/home'

/** What is kept outside of the home about a rule that the user has added with `cadre approve --rule`. */
export function ownRuleItem(file: string, pattern: string): TrustItem {
  return { path: `${file}#${pattern}`, sha256: createHash('sha256').update(pattern).digest('hex') }
}
