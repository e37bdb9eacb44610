import { CadreError, placeNamePattern, placeNameRule } from '@cadre/core'

/** The names of a place's virtual objects at the server. */
export interface PlaceNames {
  /** One object per tree: its log and its archive. */
  readonly trees: string
  /** One object per tree: delivers messages to it. */
  readonly messages: string
  /** One object per tree that a client has started: its root and charges. Older versions also have one for each child session. */
  readonly index: string
  /** One object per part of a blob. */
  readonly blobs: string
  /** One object: which trees have changed, and the tree of each child session. */
  readonly directory: string
  /** One object per day, and one for running trees: budgets and limits. */
  readonly ledger: string
}

export function placeNames(place: string): PlaceNames {
  if (!placeNamePattern.test(place)) {
    throw new CadreError('configuration', `engine.place ${JSON.stringify(place)} must be ${placeNameRule}.`)
  }
  const trees = `cadre-${place}`
  return {
    trees,
    messages: `${trees}-messages`,
    index: `${trees}-index`,
    blobs: `${trees}-blobs`,
    directory: `${trees}-directory`,
    ledger: `${trees}-ledger`,
  }
}
