/** What a person typed before a view had loaded. */
export interface TypeAhead {
  /** Keeps a key. Returns false for a key that is not text, and for one that activates the focused control. */
  press(key: string, onControl?: boolean): boolean
  /**
   * Returns the text for the view's field, and forgets everything. If the view has not focused a field, the text starts after `/`, the key
   * that focuses one. Other keys would act on things that the person has not seen, so they have no effect.
   */
  take(isInField: boolean): { readonly text: string; readonly isSubmitted: boolean } | undefined
  clear(): void
}

const maxLength = 200

export function createTypeAhead(): TypeAhead {
  let typed: string[] = []
  let isSubmitted = false
  const clear = () => {
    typed = []
    isSubmitted = false
  }
  return {
    press(key, onControl = false) {
      if (onControl && typed.length === 0 && (key === 'Enter' || key === ' ')) return false
      if (key === 'Escape') clear()
      else if (key === 'Backspace') typed.pop()
      else if (key === 'Enter') isSubmitted = typed.length > 0
      else if ([...key].length !== 1) return false
      else if (!isSubmitted && typed.length < maxLength) typed.push(key)
      return true
    },
    take(isInField) {
      const start = isInField ? 0 : typed.indexOf('/') + 1
      const taken = { text: typed.slice(start).join(''), isSubmitted }
      const isForField = typed.length > 0 && (isInField || start > 0)
      clear()
      return isForField ? taken : undefined
    },
    clear,
  }
}
