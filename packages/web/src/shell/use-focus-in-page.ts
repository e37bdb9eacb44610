import { useEffect } from 'preact/hooks'

/**
 * If the element that had the focus has disappeared, moves the focus to the content, so that Tab and screen readers continue there. Checks it
 * when one of the values changes.
 */
export function useFocusInPage(values: readonly unknown[]): void {
  useEffect(() => {
    const { activeElement } = document
    if (activeElement === null || activeElement === document.body) document.getElementById('main')?.focus()
  }, values)
}
