import type { Approval, DecisionResult } from '@cadre/api'
import { type Signal, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { notify } from '../../shell/toasts.ts'
import { useStore } from '../../store/app-context.ts'
import { createAccidentalDecisionGuard } from './accidental-decision-guard.ts'
import { decisionText } from './decision-text.ts'

export type Scope = 'once' | 'session' | 'rule'

export interface Decision {
  readonly isBusy: Signal<boolean>
  /** The scope that a second step would approve, for HIGH risk. */
  readonly confirming: Signal<Scope | undefined>
  /** True while the person enters the reason for a rejection. */
  readonly isRejecting: Signal<boolean>
  approve(scope: Scope): void
  confirm(): void
  askReason(): void
  reject(reason: string): void
  /** For an interrupted call. */
  answer(answer: 'done' | 'again' | 'leave'): void
  back(): false | undefined
}

/** Decides one approval, with protection against accidental decisions. `element` contains the buttons and must be in the window. */
export function useDecision(approval: Approval, element: RefObject<HTMLElement | null>): Decision {
  const store = useStore()
  const guard = useRef(createAccidentalDecisionGuard(() => performance.now())).current
  const isBusy = useSignal(false)
  const confirming = useSignal<Scope | undefined>(undefined)
  const isRejecting = useSignal(false)
  const { id, action, risk, session, question } = approval
  useLayoutEffect(() => {
    guard.hide()
    confirming.value = undefined
    isRejecting.value = false
    const shown = element.current
    if (shown === null) return
    const observer = new IntersectionObserver((entries) => {
      if (entries.at(-1)?.isIntersecting) guard.show(id)
      else guard.hide()
    })
    observer.observe(shown)
    return () => observer.disconnect()
  }, [id])
  const tooSoon = () => {
    element.current?.scrollIntoView({ block: 'nearest' })
    notify('This item has just appeared. Read it, then press the key again.')
  }
  const send = async (decide: () => Promise<DecisionResult>) => {
    if (isBusy.peek()) return
    isBusy.value = true
    try {
      notify(decisionText(approval, await decide(), store.me.peek()?.daemon ?? true))
    } catch (error) {
      notify(error instanceof Error ? error.message : String(error), 'error')
      // Someone else may have decided first, or the action may have changed, so show the current state.
      await store.client.getApproval({ params: { id } }).then((now) => store.approvals.put(now), console.warn)
    } finally {
      isBusy.value = false
      confirming.value = undefined
      isRejecting.value = false
    }
  }
  const approveNow = (scope: Scope) =>
    void send(() =>
      store.client.decide({ params: { id }, body: { decision: 'approve', action, for: scope } }),
    )
  return {
    isBusy,
    confirming,
    isRejecting,
    approve(scope) {
      const step = guard.approve(id, risk)
      if (step === 'too-soon') tooSoon()
      else if (step === 'confirm') confirming.value = scope
      else approveNow(scope)
    },
    confirm() {
      const scope = confirming.peek()
      if (scope === undefined) return
      const step = guard.confirm(id)
      if (step === 'too-soon') tooSoon()
      else if (step === 'go') approveNow(scope)
    },
    askReason() {
      if (guard.reject(id) === 'too-soon') tooSoon()
      else isRejecting.value = true
    },
    reject(reason) {
      void send(() =>
        store.client.decide({
          params: { id },
          body: { decision: 'reject', action, ...(reason !== '' && { reason }) },
        }),
      )
    },
    answer(answer) {
      const step = answer === 'again' ? guard.approve(id, risk) : guard.reject(id)
      if (step === 'too-soon') return tooSoon()
      if (step === 'confirm' && guard.confirm(id) !== 'go') {
        notify('HIGH risk. To confirm that the call should run again, press the key a second time.')
        return
      }
      void send(() =>
        store.client.answerQuestion({ params: { id: session, question }, body: { answer, action } }),
      )
    },
    back() {
      if (confirming.peek() === undefined && !isRejecting.peek()) return false
      guard.forget()
      confirming.value = undefined
      isRejecting.value = false
      return undefined
    },
  }
}
