export { activate, deactivate } from './extension.ts'
