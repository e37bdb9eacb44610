/** Since 1.0.1 the caller says how values are escaped; `escapeHtml` is meant for pages. */
export function render(template, values, { escape }) {
  return template.replace(/\{(\w+)\}/g, (_, name) => escape(values[name]))
}

export function escapeHtml(value) {
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
