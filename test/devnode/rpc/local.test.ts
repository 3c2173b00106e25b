import { describe, expect, test } from 'vitest'
import { keys, startTestNode, type TestNode } from '../../support/devnode.ts'
import { vectorsOf } from '../../support/streams-vectors.ts'

const idOf = (name: string) => `st${name.padStart(30, '0')}`
const [prices, wages, basket] = [idOf('1'), idOf('2'), idOf('3')]

function local(node: TestNode, method: string, params: object = {}): Record<string, unknown> {
  const answer = node.sendAdmin(JSON.stringify({ jsonrpc: '2.0', id: 1, method: `local.${method}`, params }))
  if (typeof answer === 'string') throw new Error(answer)
  if ('error' in answer.body) throw new Error(`${answer.body.error.code} ${answer.body.error.message}`)
  return answer.body.result as Record<string, unknown>
}

function nodeWithStreams(): TestNode {
  const node = startTestNode()
  local(node, 'create_stream', { stream_id: prices, stream_type: 'primitive' })
  local(node, 'create_stream', { stream_id: wages, stream_type: 'primitive' })
  local(node, 'create_stream', { stream_id: basket, stream_type: 'composed' })
  local(node, 'insert_records', {
    stream_id: [prices, prices, wages, prices],
    event_time: [100, 200, 100, 300],
    value: ['10', '20', '100', '0'],
  })
  local(node, 'insert_taxonomy', {
    stream_id: basket,
    child_stream_ids: [prices, wages],
    weights: ['3', '1'],
    start_date: 0,
  })
  return node
}

const seriesOf = (result: Record<string, unknown>) =>
  (result.records as { event_time: number; value: string }[]).map(({ event_time, value }) => [
    event_time,
    Number(value),
  ])

test('a node that keeps all it may takes no further local stream or record, and removes and reads on', () => {
  const node = startTestNode({ maxStoreBytes: 60_000 })
  local(node, 'create_stream', { stream_id: prices, stream_type: 'primitive' })
  const times = Array.from({ length: 1_000 }, (_, at) => at)
  local(node, 'insert_records', { stream_id: times.map(() => prices), event_time: times, value: times.map(() => '1') })
  const full = /-32603 failed to store: the node keeps \d+ bytes already/
  expect(() => local(node, 'create_stream', { stream_id: wages, stream_type: 'primitive' })).toThrow(full)
  const record = { stream_id: [prices], event_time: [5_000], value: ['1'] }
  expect(() => local(node, 'insert_records', record)).toThrow(full)
  expect(seriesOf(local(node, 'get_record', { stream_id: prices, from_time: 999 }))).toEqual([[999, 1]])
  local(node, 'delete_stream', { stream_id: prices })
  local(node, 'create_stream', { stream_id: wages, stream_type: 'primitive' })
})

test('a request of more than 350,000 characters is refused before it is read exactly', () => {
  const stream_id = 's'.repeat(350_000)
  expect(() => local(startTestNode(), 'create_stream', { stream_id, stream_type: 'primitive' })).toThrow(
    'characters, expected at most 350000',
  )
})

describe('local.*', () => {
  test('reads what was inserted, without zeros and with the anchor', () => {
    const node = nodeWithStreams()
    expect(seriesOf(local(node, 'get_record', { stream_id: prices, from_time: 150, to_time: 400 }))).toEqual([
      [100, 10],
      [200, 20],
    ])
    expect(seriesOf(local(node, 'get_record', { stream_id: prices }))).toEqual([[200, 20]])
    expect(seriesOf(local(node, 'get_record', { stream_id: basket, from_time: 100, to_time: 400 }))).toEqual([
      [100, 32.5],
      [200, 40],
    ])
    expect(seriesOf(local(node, 'get_record', { stream_id: basket }))).toEqual([[200, 40]])
  })

  test('indexes against the first record or the base time', () => {
    const node = nodeWithStreams()
    const index = (params: object) =>
      seriesOf(local(node, 'get_index', { stream_id: prices, from_time: 100, to_time: 400, ...params }))
    expect(index({})).toEqual([
      [100, 100],
      [200, 200],
    ])
    expect(index({ base_time: 250 })).toEqual([
      [100, 50],
      [200, 100],
    ])
    expect(() => index({ base_time: 50 })).toThrow('no data at base time')
  })

  test('lists and removes them; a removed child is in no taxonomy', () => {
    const node = nodeWithStreams()
    local(node, 'delete_stream', { stream_id: wages })
    expect(seriesOf(local(node, 'get_record', { stream_id: basket, from_time: 100, to_time: 400 }))).toEqual([
      [100, 10],
      [200, 20],
    ])
    expect(local(node, 'list_streams').streams).toEqual([
      { data_provider: keys.operator.address, stream_id: prices, stream_type: 'primitive', created_at: 1 },
      { data_provider: keys.operator.address, stream_id: basket, stream_type: 'composed', created_at: 1 },
    ])
    local(node, 'disable_taxonomy', { stream_id: basket, group_sequence: 1 })
    expect(seriesOf(local(node, 'get_record', { stream_id: basket, from_time: 100, to_time: 400 }))).toEqual([])
    expect(() => local(node, 'disable_taxonomy', { stream_id: basket, group_sequence: 1 })).toThrow(
      'taxonomy group 1 not found or already disabled',
    )
  })

  test('are not part of the chain, and the chain is not part of them', () => {
    const node = nodeWithStreams()
    expect(node.view('stream_exists', [keys.operator.address, prices])).toEqual([[false]])
  })

  test('refuses the same time twice at one height, and keeps nothing of that request', () => {
    const node = nodeWithStreams()
    const again = { stream_id: [prices, prices], event_time: [500, 100], value: ['1', '1'] }
    expect(() => local(node, 'insert_records', again)).toThrow('-32603 failed to insert records')
    expect(seriesOf(local(node, 'get_record', { stream_id: prices }))).toEqual([[200, 20]])
  })

  test('reads what is missing or null as the zero of its type, as the extension does', () => {
    const node = nodeWithStreams()
    const empty = 'stream_id must be exactly 32 characters, got 0'
    expect(() => local(node, 'create_stream', {})).toThrow(`-32602 ${empty}`)
    expect(() => local(node, 'get_record', { stream_id: null })).toThrow(`-32602 ${empty}`)
    expect(() => local(node, 'insert_records', {})).toThrow('-32602 records must not be empty')
    expect(() => local(node, 'insert_records', { event_time: [1], value: ['1'] })).toThrow('records must not be empty')
    expect(() => local(node, 'insert_records', { stream_id: [prices] })).toThrow('array lengths mismatch')
    expect(() => local(node, 'insert_records', { stream_id: [null], event_time: [1], value: ['1'] })).toThrow(
      `record 0: ${empty}`,
    )
    expect(() => local(node, 'insert_taxonomy', { stream_id: basket })).toThrow('there must be at least 1 child')
    local(node, 'insert_records', { stream_id: [prices], event_time: [null], value: ['7'] })
    expect(seriesOf(local(node, 'get_record', { stream_id: prices, to_time: 0 }))).toEqual([[0, 7]])
    expect(() => local(node, 'disable_taxonomy', { stream_id: basket })).toThrow('taxonomy group 0 not found')
  })

  test.each([
    ['abc', 'strconv.ParseFloat: parsing "abc": invalid syntax'],
    ['', 'strconv.ParseFloat: parsing "": invalid syntax'],
    ['1e400', 'strconv.ParseFloat: parsing "1e400": value out of range'],
    ['-Inf', 'must be a finite number'],
    ['nan', 'must be a finite number'],
  ])('refuses the value "%s" in the words of the extension', (value, reason) => {
    const records = { stream_id: [prices, prices], event_time: [500, 501], value: ['1', value] }
    expect(() => local(nodeWithStreams(), 'insert_records', records)).toThrow(
      `-32602 invalid record value at index 1: ${reason}`,
    )
  })

  test('a value that a double reads as 0 is dropped as 0', () => {
    const node = nodeWithStreams()
    local(node, 'insert_records', { stream_id: [prices, prices], event_time: [500, 501], value: ['1e-400', '-0'] })
    expect(seriesOf(local(node, 'get_record', { stream_id: prices }))).toEqual([[200, 20]])
  })

  test('the latest record may be at any time of 64 bits', () => {
    const node = nodeWithStreams()
    const last = 9223372036854775807n
    const rows = `"stream_id":["${prices}"],"event_time":[${last}],"value":["9"]`
    const answer = node.sendAdmin(`{"jsonrpc":"2.0","id":1,"method":"local.insert_records","params":{${rows}}}`)
    expect(answer).toMatchObject({ body: { result: {} } })
    const text = `{"jsonrpc":"2.0","id":1,"method":"local.get_record","params":{"stream_id":"${prices}"}}`
    expect(JSON.stringify(node.sendAdmin(text))).toContain(`[{"event_time":${last},"value":"9.000000000000000000"`)
  })

  test('an index has 16 fractional digits, any number of whole ones, and nothing for a stream without a value', () => {
    const node = nodeWithStreams()
    const index = (stream_id: string) => local(node, 'get_index', { stream_id, from_time: 0 }).records
    local(node, 'insert_records', { stream_id: [wages], event_time: [200], value: ['7.936507936507936508'] })
    expect(index(wages)).toMatchObject([{}, { value: '7.936507936507936500' }])
    local(node, 'insert_records', {
      stream_id: [wages, wages],
      event_time: [50, 300],
      value: ['0.000001', '-900000000000000000'],
    })
    expect(index(wages)).toMatchObject([{}, {}, {}, { value: `-9${'0'.repeat(25)}.${'0'.repeat(18)}` }])
    const empty = idOf('empty')
    local(node, 'create_stream', { stream_id: empty, stream_type: 'primitive' })
    expect(index(empty)).toEqual([])
    expect(() => local(node, 'get_index', { stream_id: empty, base_time: 5 })).toThrow('no data at base time')
  })

  test('takes any 32 bytes that begin with st for an id', () => {
    const node = startTestNode()
    const ids = [idOf('UPPER'), idOf('a/b %'), `st${'é'.repeat(15)}`]
    for (const stream_id of ids) local(node, 'create_stream', { stream_id, stream_type: 'primitive' })
    const { streams } = local(node, 'list_streams') as { streams: { stream_id: string }[] }
    expect(streams.map(({ stream_id }) => stream_id).sort()).toEqual([...ids].sort())
    for (const [stream_id, text] of [
      [`st${'é'.repeat(30)}`, 'must be exactly 32 characters, got 62'],
      [`st${'\0'.repeat(30)}`, 'must be text without NUL'],
      [`st${'\ud800'.repeat(10)}`, 'must be text without NUL'],
    ] as const)
      expect(() => local(node, 'create_stream', { stream_id, stream_type: 'primitive' })).toThrow(text)
  })

  test('checks in the order of the network: weight before duplicate, composed before group', () => {
    const node = nodeWithStreams()
    const insert = (weights: string[], children = [prices, prices]) =>
      local(node, 'insert_taxonomy', { stream_id: basket, child_stream_ids: children, weights })
    expect(() => insert(['1', 'x'])).toThrow('child 1: weight must be a valid decimal number')
    expect(() => insert(['1', '-1'])).toThrow('child 1: weight must be non-negative')
    expect(() => insert(['1', '1'])).toThrow('child 1: duplicate child_stream_id')
    const tooLong = 'child 0: weight exceeds NUMERIC(36,18): more than 18'
    expect(() => insert([`0.${'1'.repeat(19)}`], [prices])).toThrow(`${tooLong} decimal places`)
    expect(() => insert(['1e18'], [prices])).toThrow(`${tooLong} integral digits`)
    expect(() => insert(['1'], ['short'])).toThrow('child 0: stream_id must be exactly')
    expect(() => local(node, 'disable_taxonomy', { stream_id: prices, group_sequence: 7 })).toThrow(
      'is not a composed stream',
    )
  })

  test('keeps nothing of a request with a value that does not fit, and drops a zero of any length', () => {
    const node = nodeWithStreams()
    const insert = (...value: string[]) =>
      local(node, 'insert_records', {
        stream_id: value.map(() => prices),
        event_time: value.map((_, at) => 500 + at),
        value,
      })
    for (const value of [`1.${'1'.repeat(19)}`, '1e18', '-1000000000000000000'])
      expect(() => insert('5', value)).toThrow('-32603 failed to insert records')
    expect(() => insert('5', 'five')).toThrow('-32602 invalid record value at index 1')
    expect(seriesOf(local(node, 'get_record', { stream_id: prices }))).toEqual([[200, 20]])
    insert(`0.${'0'.repeat(30)}`, '0.1')
    expect(seriesOf(local(node, 'get_record', { stream_id: prices, from_time: 400 }))).toEqual([
      [200, 20],
      [501, 0.1],
    ])
  })

  test('fails as the extension does where a product of weights does not fit', () => {
    const node = nodeWithStreams()
    const top = idOf('top')
    local(node, 'create_stream', { stream_id: top, stream_type: 'composed' })
    const weights = ['900000000000000000']
    for (const [stream_id, child] of [
      [basket, prices],
      [top, basket],
    ]) {
      local(node, 'insert_taxonomy', { stream_id, child_stream_ids: [child], weights })
    }
    expect(() => local(node, 'get_record', { stream_id: top })).toThrow('-32603 failed to query records')
    expect(() => local(node, 'get_index', { stream_id: top })).toThrow('-32603 failed to determine base time')
  })

  for (const { id, input, expected } of vectorsOf<
    { method: string; params: object },
    { code: number; message_contains: string }
  >('local_errors')) {
    test(id, () => {
      const node = startTestNode()
      const method = input.method.slice('local.'.length)
      expect(() => local(node, method, input.params)).toThrow(`${expected.code} ${expected.message_contains}`)
    })
  }
})
