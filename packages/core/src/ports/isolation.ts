/**
 * How a session is isolated from others that run at the same time. `own`: it works in the workspace that was created for `session`,
 * which is this session or an ancestor. `missing`: no workspace could be created for `session`, so every change needs approval by a
 * person.
 */
export type Isolation =
  | {
      readonly kind: 'own'
      readonly session: string
      /**
       * The folder that the workspace was created from. Equal to the workspace for an agent's folder, which all sessions of the
       * agent share and which is never merged; `session` is then the name of that folder.
       */
      readonly base: string
      /** Set if Cadre merges the changes into `base` when the session completes, unless there is a conflict. */
      readonly returns?: true
    }
  | { readonly kind: 'missing'; readonly session: string; readonly reason: string }
