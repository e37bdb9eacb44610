export { type ExitCode, exitCodes } from './exit-codes.ts'
