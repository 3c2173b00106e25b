import { describe, expect, it } from 'vitest'
import { operationsVariables, readOperationsSettings } from '#edge/settings.ts'

describe('readOperationsSettings()', () => {
  it('has everything off without settings', () => {
    expect(readOperationsSettings({})).toEqual({
      traces: null,
      isGateEnabled: false,
      gateCallerToken: '',
      operatorTokens: [],
    })
  })

  it('reads where spans go, as in the OpenTelemetry specification', () => {
    const { traces } = readOperationsSettings({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otel.example/base/',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20abc, x-team=edge',
      OTEL_EXPORTER_OTLP_TIMEOUT: '250',
      OTEL_SERVICE_NAME: 'edge',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    })
    expect(traces).toEqual({
      url: 'https://otel.example/base/v1/traces',
      headers: [
        ['authorization', 'Basic abc'],
        ['x-team', 'edge'],
      ],
      timeoutMs: 250,
      serviceName: 'edge',
      ratio: 0.25,
    })
  })

  it.each([
    ['OTEL_EXPORTER_OTLP_TIMEOUT', 1, 60_000],
    ['OTEL_TRACES_SAMPLER_ARG', 0, 1],
  ] as const)('takes %s from %d to %d and nothing beyond', (name, least, most) => {
    const { parse } = operationsVariables[name]
    expect([least - 1, least, most, most + 1].map((value) => parse(`${value}`))).toEqual([null, least, most, null])
  })

  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', 'an http or https address'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://otel.example/?key=secret', 'an http or https address'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'no pair', 'is not readable'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'x=%zz', 'is not readable'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'x=%0a', 'is not readable'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5', 'a number from 0 to 1'],
    ['GATE_ENABLED', 'yes', 'true'],
    ['SLUICE_TOKENS', '{}', 'it is not a list'],
  ])('names %s where it is %s', (name, value, words) => {
    expect(() => readOperationsSettings({ [name]: value })).toThrow(words)
  })
})
