import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useLayoutEffect } from 'preact/hooks'
import { type ViewProps, views } from '../views/registry.ts'
import { dropTypeAhead, enterTypeAhead, keepTypeAhead } from './use-commands.ts'

type Loaded =
  | { readonly kind: 'view'; readonly View: ComponentType<ViewProps> }
  | { readonly kind: 'error'; readonly message: string }

const loaded = signal<Readonly<Record<string, Loaded>>>({})

/** Returns whether the view's code has been requested and has not arrived yet. */
export function isViewLoading(name: string): boolean {
  return loaded.value[name] === undefined && views.some((view) => view.name === name)
}

/** A view whose code is loaded when it is first shown. */
export function LazyView({ name, ...props }: ViewProps & { readonly name: string }) {
  const entry = views.find((view) => view.name === name)
  useEffect(() => {
    if (entry === undefined || loaded.peek()[name]?.kind === 'view') return
    const end = (result: Loaded) => {
      loaded.value = { ...loaded.peek(), [name]: result }
    }
    entry.load().then(
      (View) => end({ kind: 'view', View }),
      (reason: unknown) =>
        end({ kind: 'error', message: reason instanceof Error ? reason.message : String(reason) }),
    )
  }, [name])
  const result = loaded.value[name]
  // After the view's own effects, which may focus a field.
  useLayoutEffect(() => {
    if (result === undefined) keepTypeAhead()
    else if (result.kind === 'view') enterTypeAhead()
    else dropTypeAhead()
  }, [result])
  useLayoutEffect(() => dropTypeAhead, [])
  if (entry === undefined) return <p class="empty">This view does not exist.</p>
  if (result?.kind === 'error')
    return (
      <p class="empty" role="alert">
        This view could not be loaded: {result.message} Reload the page: Cadre may have been updated.
      </p>
    )
  return result === undefined ? null : <result.View {...props} />
}
