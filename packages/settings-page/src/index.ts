export type { FromPage, ToPage } from './protocol.ts'
