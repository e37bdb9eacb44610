import type { ControlWork } from './control.ts'

/** Starts the trees of the control, and waits for them. */
export class ControlTrees {
  readonly #ingress: string
  readonly #name: string

  constructor(ingress: string, name: string) {
    this.#ingress = ingress
    this.#name = name
  }

  async register(admin: string, uri: string): Promise<void> {
    const response = await fetch(`${admin}/deployments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ uri, force: true }),
    })
    if (!response.ok) throw new Error(await response.text())
  }

  async start(ids: readonly string[], work: ControlWork): Promise<void> {
    for (const id of ids) await this.#post(`${id}/run/send`, work, id)
  }

  async untilEnded(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      while ((await this.#post(`${id}/isDone`)) !== true)
        await new Promise((resolve) => setTimeout(resolve, 500))
    }
  }

  async #post(path: string, body?: unknown, once?: string): Promise<unknown> {
    for (;;) {
      try {
        const response = await fetch(`${this.#ingress}/${this.#name}/${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...(once && { 'idempotency-key': once }) },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        })
        const text = await response.text()
        if (response.ok) return text === '' ? undefined : JSON.parse(text)
      } catch {
        // The server may be down.
      }
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
