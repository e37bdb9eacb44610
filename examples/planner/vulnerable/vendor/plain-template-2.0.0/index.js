export { escapeHtml } from './escape.js'

/** Since 2.0.0 a name may lead into an object: `{buyer.name}`. */
export function render(template, values, { escape }) {
  return template.replace(/\{([\w.]+)\}/g, (_, path) =>
    escape(path.split('.').reduce((value, name) => value[name], values)),
  )
}
