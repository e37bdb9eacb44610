import type { AttributeText } from './attributes.ts'
import { version } from './exporter-version.ts'

/** The version of the OpenTelemetry conventions whose names are used. */
const schemaUrl = 'https://opentelemetry.io/schemas/1.44.0'
const scope = JSON.stringify({ name: 'cadre', version })

/** An `ExportTraceServiceRequest` with these spans, which are JSON already. */
export function tracesBody(resource: AttributeText, spans: readonly string[]): string {
  return bodyOf(['resourceSpans', 'scopeSpans', 'spans'], resource, spans)
}

/** An `ExportMetricsServiceRequest` with these metrics, which are JSON already. */
export function metricsBody(resource: AttributeText, metrics: readonly string[]): string {
  return bodyOf(['resourceMetrics', 'scopeMetrics', 'metrics'], resource, metrics)
}

function bodyOf(
  [outer, inner, name]: readonly [string, string, string],
  resource: AttributeText,
  items: readonly string[],
): string {
  const scoped = `{"scope":${scope},"schemaUrl":"${schemaUrl}","${name}":[${items.join(',')}]}`
  return `{"${outer}":[{"resource":{"attributes":[${resource}]},"schemaUrl":"${schemaUrl}","${inner}":[${scoped}]}]}`
}
