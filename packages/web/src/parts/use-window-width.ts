import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** Returns whether the window is currently at least this wide. */
export function useWindowWidth(pixels: number): boolean {
  const query = matchMedia(`(min-width: ${pixels}px)`)
  const isWide = useSignal(query.matches)
  useEffect(() => {
    const changed = () => {
      isWide.value = query.matches
    }
    query.addEventListener('change', changed)
    return () => query.removeEventListener('change', changed)
  }, [])
  return isWide.value
}
