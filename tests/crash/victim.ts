// A process that plays one of the programs beside this file, and dies at a point that it is given.
//
//   node victim.js PROGRAM HOME ARGUMENTS…
//
// Where it may die: `kill-points.ts`. The last line on stdout is how it ended.
import path from 'node:path'
import { arm, disarm } from './kill-points.ts'
import { programs } from './programs.ts'

const [name = '', home = '', ...args] = process.argv.slice(2)
const play = await programs[name as keyof typeof programs]()
arm(path.dirname(home))
const end = await play(home, args)
process.stdout.write(`${JSON.stringify({ ...end, points: disarm() })}\n`)
