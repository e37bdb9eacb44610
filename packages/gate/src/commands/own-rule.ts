import { createHash } from 'node:crypto'
import type { TrustItem } from '@cadre/home'

/** The trust item that records, outside the home, a rule that the user added with `cadre approve --rule`. */
export function userRuleItem(file: string, pattern: string): TrustItem {
  return { path: `${file}#${pattern}`, sha256: createHash('sha256').update(pattern).digest('hex') }
}
