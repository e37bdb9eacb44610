export function render(template, values) {
  return template.replace(/\{(\w+)\}/g, (_, name) => values[name])
}
