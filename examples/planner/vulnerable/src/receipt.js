import { render } from 'plain-template'
import { day } from 'tiny-dates'

/** A receipt as an HTML fragment. */
export function receipt({ buyer, total, at }) {
  return render('<p>{buyer} paid {total} on {day}</p>', { buyer, total, day: day(at) })
}
