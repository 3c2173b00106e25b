/** Settings of what all surfaces share: traces, the gate, tokens of operators. */

import { VariableError } from '../base/errors.ts'
import {
  bounded,
  type Environment,
  flag,
  reader,
  readVariables,
  text,
  type VariableValues,
  variable,
} from '../base/variables.ts'
import { type OperatorToken, parseOperatorTokens } from './operator-tokens.ts'

/** Every variable. The names that begin with OTEL are those of the OpenTelemetry specification. */
export const operationsVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: variable(reader('', 'an http or https address', parseEndpoint)),
  OTEL_EXPORTER_OTLP_HEADERS: variable(reader('', 'name=value, separated by commas', parseHeaderList), {
    isSecret: true,
  }),
  OTEL_EXPORTER_OTLP_TIMEOUT: variable(bounded(10_000, 1, 60_000)),
  OTEL_SERVICE_NAME: variable(text('sluice')),
  OTEL_TRACES_SAMPLER_ARG: variable(reader(1, 'a number from 0 to 1', parseRatio)),
  GATE_ENABLED: variable(flag(false)),
  GATE_CALLER_TOKEN: variable(text(''), { isSecret: true }),
  SLUICE_TOKENS: variable(text(''), { isSecret: true }),
} as const

/** Values of these settings. */
export interface OperationsSettings {
  /** Null when nothing is traced. */
  readonly traces: TraceSettings | null
  readonly isGateEnabled: boolean
  /** The token that the gate shows a rate limiter with CALLER_TOKENS; empty for none. */
  readonly gateCallerToken: string
  readonly operatorTokens: readonly OperatorToken[]
}

/** Collector of spans. */
export interface TraceSettings {
  /** The address of the collector's `/v1/traces`. */
  readonly url: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly timeoutMs: number
  readonly serviceName: string
  /** The share of traces that begin here and are recorded, 0 to 1. */
  readonly ratio: number
}

/**
 * Reads the settings.
 *
 * @throws VariableError invalid_settings, naming the variable and what it may be.
 */
export function readOperationsSettings(environment: Environment): OperationsSettings {
  const values = readVariables(operationsVariables, environment)
  return {
    traces: values.OTEL_EXPORTER_OTLP_ENDPOINT === '' ? null : readTraces(values),
    isGateEnabled: values.GATE_ENABLED,
    gateCallerToken: values.GATE_CALLER_TOKEN,
    operatorTokens: parseOperatorTokens(values.SLUICE_TOKENS),
  }
}

function readTraces(values: VariableValues<typeof operationsVariables>): TraceSettings {
  return {
    // The specification appends the path to the common endpoint, with any path of it.
    url: `${values.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/+$/, '')}/v1/traces`,
    headers: headerPairs(values.OTEL_EXPORTER_OTLP_HEADERS),
    timeoutMs: values.OTEL_EXPORTER_OTLP_TIMEOUT,
    serviceName: values.OTEL_SERVICE_NAME || 'sluice',
    ratio: values.OTEL_TRACES_SAMPLER_ARG,
  }
}

function parseEndpoint(value: string): string | null {
  return URL.canParse(value) && /^https?:\/\//i.test(value) && !/[?#]/.test(value) ? value : null
}

function parseRatio(value: string): number | null {
  const ratio = /^(\d+|\d*\.\d+)$/.test(value) ? Number(value) : Number.NaN
  return ratio >= 0 && ratio <= 1 ? ratio : null
}

/** `name=value`, such as `x-api-key=a%20b`. */
const headerPattern = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=([^,]*)$/

function parseHeaderList(value: string): string | null {
  if (!value.split(',').every((one) => headerPattern.test(one))) return null
  try {
    headerPairs(value)
    return value
  } catch {
    return null
  }
}

/** Values are percent-encoded, as in W3C Baggage. */
function headerPairs(value: string): TraceSettings['headers'] {
  if (value === '') return []
  return value.split(',').map((one) => {
    const [, name = '', encoded = ''] = headerPattern.exec(one) ?? []
    const decoded = decodeURIComponent(encoded.trim())
    // RFC 9110, 5.5: visible ASCII, spaces and tabs.
    if (/[^\t\x20-\x7e]/.test(decoded)) throw new VariableError('Cannot read settings: a header has an unusable value')
    return [name, decoded] as const
  })
}
