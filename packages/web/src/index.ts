export { hrefOf, type Route, readRoute, type ViewName, viewNames } from './shell/route.ts'
