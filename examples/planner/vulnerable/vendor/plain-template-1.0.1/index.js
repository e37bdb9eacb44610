/** Since 1.0.1 the caller decides how values are escaped; use `escapeHtml` for pages. */
export function render(template, values, { encode }) {
  return template.replace(/\{(\w+)\}/g, (_, name) => encode(values[name]))
}

export function escapeHtml(value) {
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
