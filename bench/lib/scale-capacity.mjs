/** What a large installation does. Change these to your own numbers. */
export const assumptions = {
  machines: 1_000,
  sleepingSessions: 1_000_000,
  /** A tree of agents sleeps as a whole. */
  sessionsPerTree: 5,
  /** Trees that run at the same time on each machine. */
  runningPerMachine: 10,
  /** Sessions of a running tree that ask a model at the same time. */
  activeSessions: 3,
  secondsPerTurn: 10,
  /** What a turn records: a reply, a call and its result. */
  bytesPerTurn: 4_000,
  /** How often a running tree writes an entry to its archive, because it merges small chunks. The tree of the measurement writes it once. */
  archiveWrites: 3.8,
  /** How often a person or a message wakes a sleeping tree. */
  wakesPerDay: 2,
  /** Of one server. In the measurement, server, worker and client shared two cores. */
  serverCores: 16,
  memoryGb: 64,
  diskGb: 1_000,
  /** Texts with more than 65,536 characters, such as images and long results, that a tree stores. The server never removes them. */
  blobBytesPerTree: 1_000_000,
  /** The server's default for invocations that run at the same time. */
  invocations: 1_000,
}

/** Compares what the installation needs with what one server does, from the measurements of `bench/scale.mjs`. Highest use first. */
export function capacityRows({ cost, watching, log, sleeping }, given = assumptions) {
  const trees = given.sleepingSessions / given.sessionsPerTree
  const running = given.machines * given.runningPerMachine
  const turns = (running * given.activeSessions) / given.secondsPerTurn
  // A tree notes each change in the directory. The note takes as much as a request, but does not pass through the ingress.
  const requestsPerTree = (watching.requestsPerSecond + watching.changesPerSecond) / watching.trees
  // Each entry is in the journal, and in the archive.
  const writes = (1 + given.archiveWrites) / 2
  // The measurement used about two cores for server, worker and client together.
  const scale = given.serverCores / 2
  // As if it were proportional: with fewer trees, each takes more, because a part of the growth does not depend on their number.
  const [emptyMb, fullMb] = sleeping.serverMb
  const memoryMb = emptyMb + (trees * (fullMb - emptyMb)) / sleeping.trees
  const diskBytes = trees * (sleeping.diskBytesPerTree + given.blobBytesPerTree)
  const row = (part, needed, has, unit) => ({ part, needed, has, unit, use: needed / has })
  return [
    row('requests of the daemons', running * requestsPerTree, sleeping.requestsPerSecond * scale, '/s'),
    // Each daemon waits for changes in an invocation.
    row('running invocations', running + given.machines, given.invocations, ''),
    row('CPU of the server for turns', (turns * cost.server) / 1e6, given.serverCores, ' cores'),
    row('log', (turns * given.bytesPerTurn * writes) / 1e6, log.mbPerSecond * scale, ' MB/s'),
    row('wake-ups', (trees * given.wakesPerDay) / 86_400, sleeping.startsPerSecond * scale, '/s'),
    row('memory of the server for sleeping trees', memoryMb / 1000, given.memoryGb, ' GB'),
    row('disk for sleeping trees and their blobs', diskBytes / 1e9, given.diskGb, ' GB'),
  ].sort((a, b) => b.use - a.use)
}

export function capacityTable(measured, given = assumptions) {
  const number = (value) => (value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(2))
  return [
    `| ${given.machines.toLocaleString('en')} machines, ${given.sleepingSessions.toLocaleString('en')} sleeping sessions | needs | one server has | use |`,
    '|---|---|---|---|',
    ...capacityRows(measured, given).map(
      ({ part, needed, has, unit, use }) =>
        `| ${part} | ${number(needed)}${unit} | ${number(has)}${unit} | ${number(use * 100)} % |`,
    ),
  ].join('\n')
}
