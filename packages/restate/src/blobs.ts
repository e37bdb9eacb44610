import { createHash } from 'node:crypto'
import { CadreError } from '@cadre/core'
import type { Ingress } from './ingress.ts'

export interface BlobReference {
  /** The SHA-256 of the text. */
  readonly blob: string
  /** How many parts it has. */
  readonly parts: number
}

/** Stores large texts by their content. Storing a text again has no effect. */
export interface Blobs {
  put(text: string): Promise<BlobReference>
  get(reference: BlobReference): Promise<string>
}

/** In JSON, a part takes less than 1 MB, or 1.5 MB in the worst case. */
const partLength = 250_000

/**
 * Keeps blobs at the server, each part in an object of its own, so that every machine can read them and no shared folder is needed. The
 * server never removes them.
 */
export function createBlobs(ingress: Ingress, object: string): Blobs {
  return {
    async put(text) {
      const blob = createHash('sha256').update(text, 'utf16le').digest('hex')
      const parts = Math.max(1, Math.ceil(text.length / partLength))
      for (let part = 0; part < parts; part++) {
        const key = `${blob}-${part}`
        await ingress.call(object, key, 'put', text.slice(part * partLength, (part + 1) * partLength))
      }
      return { blob, parts }
    },
    async get({ blob, parts }) {
      let text = ''
      for (let part = 0; part < parts; part++) {
        const found = await ingress.call(object, `${blob}-${part}`, 'get')
        if (typeof found !== 'string')
          throw new CadreError('corrupt', `the Restate server has lost part ${part} of blob ${blob}.`)
        text += found
      }
      return text
    },
  }
}
