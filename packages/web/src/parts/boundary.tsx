import { Component, type ComponentChildren } from 'preact'

export interface BoundaryProps {
  /** Shown instead of the children if rendering them failed. */
  readonly fallback: (error: Error) => ComponentChildren
  readonly children: ComponentChildren
}

/** Keeps an error in one part from breaking the rest of the page. */
export class Boundary extends Component<BoundaryProps, { error: Error | undefined }> {
  override state: { error: Error | undefined } = { error: undefined }

  static override getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }

  override render({ fallback, children }: BoundaryProps) {
    return this.state.error === undefined ? children : fallback(this.state.error)
  }
}
