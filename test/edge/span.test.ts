import { describe, expect, it } from 'vitest'
import { encodeSpans } from '#edge/span.ts'
import manifest from '../../package.json' with { type: 'json' }

describe('encodeSpans()', () => {
  it('writes an ExportTraceServiceRequest with the version of the manifest: hex ids, numbers for enumerations, texts for 64-bit integers', () => {
    const text = encodeSpans(
      [
        {
          traceId: '5b8efff798038103d269b633813fc60c',
          spanId: 'eee19b7ec3c1b174',
          parentSpanId: 'eee19b7ec3c1b173',
          name: 'GET /api/v1/status',
          kind: 'server',
          startMs: 1_544_712_660_300,
          endMs: 1_544_712_660_600,
          attributes: { 'http.route': '/api/v1/status', status: 200, share: 0.5, isOver: false },
        },
      ],
      'sluice',
    )
    expect(JSON.parse(text)).toEqual({
      resourceSpans: [
        {
          resource: {
            attributes: [
              { key: 'service.name', value: { stringValue: 'sluice' } },
              { key: 'service.version', value: { stringValue: manifest.version } },
            ],
          },
          scopeSpans: [
            {
              scope: { name: 'sluice', version: manifest.version },
              spans: [
                {
                  traceId: '5b8efff798038103d269b633813fc60c',
                  spanId: 'eee19b7ec3c1b174',
                  parentSpanId: 'eee19b7ec3c1b173',
                  name: 'GET /api/v1/status',
                  kind: 2,
                  startTimeUnixNano: '1544712660300000000',
                  endTimeUnixNano: '1544712660600000000',
                  attributes: [
                    { key: 'http.route', value: { stringValue: '/api/v1/status' } },
                    { key: 'status', value: { intValue: '200' } },
                    { key: 'share', value: { doubleValue: 0.5 } },
                    { key: 'isOver', value: { boolValue: false } },
                  ],
                  status: {},
                },
              ],
            },
          ],
        },
      ],
    })
  })

  it('marks a span that failed, and leaves out the parent of a first one', () => {
    const span = { traceId: '1'.repeat(32), spanId: '2'.repeat(16), name: 'NODE.rpc', kind: 'client' } as const
    const text = encodeSpans([{ ...span, startMs: 1, endMs: 1, attributes: {}, failure: 'reset' }], 'sluice')
    const [encoded] = JSON.parse(text).resourceSpans[0].scopeSpans[0].spans
    expect(encoded).toMatchObject({ kind: 3, status: { code: 2, message: 'reset' } })
    expect(encoded).not.toHaveProperty('parentSpanId')
  })
})
