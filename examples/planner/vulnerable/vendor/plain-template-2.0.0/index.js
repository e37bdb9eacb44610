/** Since 2.0.0 a name may refer to a nested value: `{buyer.name}`. */
export function render(template, values, { encode }) {
  return template.replace(/\{([\w.]+)\}/g, (_, path) =>
    encode(path.split('.').reduce((value, name) => value[name], values)),
  )
}

export function escapeHtml(value) {
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
