/** Natural mistakes on the operator plane: each answer says what was wrong and what is right. */

import { beforeAll, describe, expect, it } from 'vitest'
import { hostServices } from '../../support/host-services.ts'
import { adminToken, oneLimit } from '../../support/ratelimit-servers.ts'

const gridToken = 'token-of-the-grid'

const { client } = hostServices([{ GRID_TOKEN: gridToken }])

beforeAll(async () => {
  await client().load([oneLimit('shop', 'day', 2)])
})

const right = 'send "Authorization: Bearer TOKEN" with the ADMIN_TOKEN of this service'

describe('a request without the right token', () => {
  it.each([
    ['no token', {}, 'there is no Authorization header'],
    ['X-Api-Key', { 'x-api-key': adminToken }, 'the token is in X-Api-Key, which is not read'],
    ['no Bearer', { authorization: adminToken }, 'the Authorization header does not begin with the word Bearer'],
    ['Basic', { authorization: 'Basic YTpi' }, 'the Authorization header has another scheme than Bearer'],
    ['only Bearer', { authorization: 'Bearer ' }, 'the Authorization header has no token behind the word Bearer'],
    ['a wrong token', { authorization: 'Bearer wrong' }, 'the token is not the one of this service'],
    ["the grid's token", { authorization: `Bearer ${gridToken}` }, 'the token is the GRID_TOKEN of another surface'],
  ] as const)('%s', async (_, headers, problem) => {
    const response = await fetch(`${client().url}/stats`, { headers: { ...headers } })
    expect([response.status, await response.text()]).toEqual([401, `Unauthorized: ${problem}; ${right}\n`])
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer realm="[^"]+"(, error="invalid_token")?$/)
  })
})

const yaml = (...lines: readonly string[]) => `${lines.join('\n')}\n`
const units = 'expected one of second, minute, hour, day, week, month, year'
const eitherName = 'expected ?key=PREFIX_DOMAIN_KEY_VALUE_ or ?domain=D&entry=KEY=VALUE'

interface JsonError {
  readonly code: string
  readonly message: string
  readonly hint?: string
}

type Mistake = readonly [target: string, body: string | undefined, status: number, error: JsonError]
type Row = readonly [asked: string, message: string, hint?: string]

const errorOf = (code: string, [, message, hint]: Row): JsonError => ({
  code,
  message,
  ...(hint !== undefined && { hint }),
})

/** Wrong bodies of one operation. */
const bodies = (target: string, status: number, code: string, rows: readonly Row[]) =>
  rows.map((row): Mistake => [target, row[0], status, errorOf(code, row)])

/** Wrong requests without a body. */
const requests = (status: number, code: string, rows: readonly Row[]) =>
  rows.map((row): Mistake => [row[0], undefined, status, errorOf(code, row)])

const mistakes: readonly Mistake[] = [
  ...bodies('POST /explain', 400, 'no_descriptors', [
    ['{"domain":"shop"}', 'rate limit descriptor list must not be empty'],
  ]),
  ...bodies('POST /config/check', 400, 'malformed_request', [
    ['{"flies":{}}', 'Cannot read files: the body has an unknown member "flies", expected {"files": {KEY: TEXT}}'],
    [
      'domain: a',
      'Cannot read the body: it is not JSON, expected {"files": {KEY: TEXT}}; one file as it is goes to PUT /config/files/KEY',
    ],
    ['{}', 'Cannot read files: the body has no files, expected {"files": {KEY: TEXT}}'],
    ['[]', 'Cannot read files: the body is not an object, expected {"files": {KEY: TEXT}}'],
    ['{"files":3}', 'Cannot read files: files is not an object, expected {"files": {KEY: TEXT}}'],
    ['{"files":[{"text":"domain: a"}]}', 'Cannot read files: file 1 has no key, expected {"key": KEY, "text": TEXT}'],
    [
      '{"files":[{"key":"a.yaml","text":"domain: a"},{"key":"a.yaml","text":"domain: b"}]}',
      'Cannot read files: "a.yaml" comes twice, expected once',
    ],
    ['{"files":{"a.yaml":{"domain":"a"}}}', 'Cannot read files: "a.yaml" is not text, expected {"files": {KEY: TEXT}}'],
    [
      '{"files":{"config/a.yaml":"domain: a"}}',
      'Cannot read files: the key "config/a.yaml" is not a runtime key, expected 1 to 512 characters without "/", such as "config.shop.yaml"',
    ],
  ]),
  ...bodies('PUT /config/files/config.a.yaml', 422, 'invalid_rules', [
    [
      yaml('domain: a', 'descriptors:', '  - key: x', '    rate_limit: {unit: minutes}'),
      "config.a.yaml: invalid rate limit unit 'minutes'",
      `did you mean "minute"? ${units}`,
    ],
    [
      yaml('domain: a', 'descriptors:', '  - key: x', '    rate_limt: {unit: minute}'),
      "config.a.yaml: config error, unknown key 'rate_limt'",
      'did you mean "rate_limit"?',
    ],
    [
      yaml('domain: a', 'descriptors:', '\t- key: x'),
      'config.a.yaml: error loading config file: yaml: line 3: found character that cannot start any token: a tab',
      'indent with spaces',
    ],
    [
      'domain: shop\n',
      "config.a.yaml: duplicate domain 'shop' in config file",
      'line 1 of config.file0.yaml has it too; rename one of them, or set MERGE_DOMAIN_CONFIG=true',
    ],
    [
      yaml('domain: a', 'descriptors:', '  - key: x', '  - key: x'),
      "config.a.yaml: duplicate descriptor composite key 'a.x'",
      'it is written twice, or joins to the same text as another; put both into one, or rename one',
    ],
    [
      yaml('descriptors:', '  - key: x'),
      'config.a.yaml: config file cannot have empty domain',
      'a file begins with "domain: NAME"',
    ],
    ['', 'config.a.yaml: config file cannot have empty domain', 'a file begins with "domain: NAME"'],
  ]),
  ...bodies('PUT /config/files/config.z.yaml', 422, 'invalid_rules', [
    [
      'domain: shop\n',
      "config.z.yaml: duplicate domain 'shop' in config file",
      'line 1 of config.file0.yaml has it too; rename one of them, or set MERGE_DOMAIN_CONFIG=true',
    ],
  ]),
  ...bodies('PUT /config/files/config.a.json', 422, 'invalid_rules', [
    [
      '{"domain":"a","descriptors":[{"key":"x","rate_limit":{"unit":"minute","requests_per_unit":"ten"}}]}',
      'config.a.json: error loading config file: yaml: line 1: cannot unmarshal !!str `ten` into a whole number from 0 to 4294967295',
    ],
  ]),
  ...bodies('POST /config/rollback', 404, 'revision_not_found', [
    ['{"revision":99}', 'Cannot find revision 99: it is not kept', 'GET /config lists the revisions that are'],
  ]),
  ...bodies('POST /config/rollback', 400, 'malformed_request', [
    ['{"revision":"one"}', 'Cannot roll back: revision is "one", expected {"revision": NUMBER}'],
    ['', 'Cannot read the body: it is empty, expected {"revision": NUMBER}'],
    ['{"revison":1}', 'Cannot roll back: the body has an unknown member "revison", expected {"revision": NUMBER}'],
  ]),
  ...requests(404, 'revision_not_found', [
    ['GET /config/revisions/77', 'Cannot find revision 77: it is not kept', 'GET /config lists the revisions that are'],
    [
      'GET /config/files/none.yaml',
      'Cannot find "none.yaml": the newest revision has no such file',
      'it has config.file0.yaml',
    ],
    [
      'DELETE /config/files/config.fil0.yaml',
      'Cannot find "config.fil0.yaml": the newest revision has no such file',
      'did you mean "config.file0.yaml"?',
    ],
  ]),
  ...requests(400, 'malformed_request', [
    [
      'GET /config/revisions/newest',
      'Cannot find a revision: "newest" is not a number',
      'GET /config/files has the newest',
    ],
    [
      'GET /config?revision=1',
      'Cannot run GET /config: the query has an unknown parameter "revision"',
      'it has no query',
    ],
    ['GET /counters', `Cannot find a counter: key is missing, ${eitherName}`],
    ['DELETE /counters', `Cannot find a counter: key is missing, ${eitherName}`],
    ['GET /counters?key=', `Cannot find a counter: key is empty, ${eitherName}`],
    ['GET /counters?domain=shop', `Cannot find a counter: entry is missing, ${eitherName}`],
    ['GET /counters?entry=k=v', `Cannot find a counter: domain is missing, ${eitherName}`],
    [
      'GET /counters?domain=shop&entry=login',
      'Cannot find a counter: entry is "login", expected KEY=VALUE, or "login=" for an empty value',
    ],
    ['GET /counters?domain=shop&entry==v', 'Cannot find a counter: entry is "=v", which has no key before the "="'],
    [
      'GET /counters?key=a&domain=shop&entry=k=v',
      `Cannot find a counter: key was given together with domain or entry, ${eitherName}`,
    ],
    [
      'GET /counters?key=a&seconds=5',
      'Cannot run GET /counters: the query has an unknown parameter "seconds"',
      'expected key, domain, entry',
    ],
    [
      'GET /counters?kye=a',
      'Cannot run GET /counters: the query has an unknown parameter "kye"',
      'did you mean "key"? expected key, domain, entry',
    ],
    [
      'PUT /counters?key=k',
      'Cannot block: seconds is missing, expected ?seconds=N with 0 to 31536000; 0 lifts the block',
    ],
    [
      'PUT /counters?key=k&seconds=abc',
      'Cannot block: seconds is "abc", expected ?seconds=N with 0 to 31536000; 0 lifts the block',
    ],
  ]),
  ...requests(404, 'counter_not_found', [
    ['GET /counters?domain=shp&entry=k=v', 'Cannot find a counter: there is no domain "shp"', 'did you mean "shop"?'],
    [
      'GET /counters?domain=shop&entry=login=v',
      'Cannot find a counter: no rule of "shop" counts that descriptor',
      'POST /explain shows which rules a descriptor meets',
    ],
  ]),
]

describe('a request with the right token', () => {
  it.each(mistakes)('%s %j', async (target, body, status, expected) => {
    const [method = '', path = ''] = target.split(' ')
    const response = await client().operate(path, { method, ...(body !== undefined && { body }) })
    const { error } = (await response.json()) as { error: JsonError & { mistakes?: unknown } }
    const { mistakes: _, ...told } = error
    expect([response.status, told]).toEqual([status, expected])
  })

  it('names the file of a set that has more bytes than a file may have, though not as many characters', async () => {
    const files = { 'a.yaml': 'domain: a', 'b.yaml': `domain: b # ${'日'.repeat(400_000)}` }
    const body = JSON.stringify({ files })
    const response = await client().operate('/config/check', { method: 'POST', body })
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({
      error: { code: 'request_too_large', message: 'Cannot read files: "b.yaml" is longer than 1000000 bytes' },
    })
  })
})

const get = async (path: string, method = 'GET') => {
  const response = await client().operate(path, { method })
  return { status: response.status, allow: response.headers.get('allow'), text: await response.text() }
}

describe('a method that an operation does not have', () => {
  it.each([
    ['GET', '/explain', 'POST'],
    ['POST', '/config/files/config.a.yaml', 'GET, HEAD, PUT, DELETE'],
    ['PATCH', '/config', 'GET, HEAD'],
    ['DELETE', '/config/rollback', 'POST'],
  ])('%s %s is 405 with Allow', async (method, path, allow) => {
    expect(await get(path, method)).toEqual({
      status: 405,
      allow,
      text: `Cannot ${method} ${path}: expected ${allow}\n`,
    })
  })

  it('HEAD answers as GET, without a body', async () => {
    expect(await get('/stats', 'HEAD')).toEqual({ status: 200, allow: null, text: '' })
  })
})

describe('a path or a key that does not exist', () => {
  it.each([
    ['/config/file', 'did you mean /config/files? '],
    ['/ratelimit/rlconfg', 'did you mean /rlconfig? '],
    ['/ratelimit/zebra', ''],
  ])('%s is 404 with the nearest and the list', async (path, meant) => {
    const { status, text } = await get(path)
    const own = path.replace(/^\/ratelimit/, '')
    expect([status, text.split('\n')[0]]).toEqual([404, `There is no such operation: ${own}; ${meant}expected one of`])
    expect(text).toContain('/rlconfig: print out')
  })

  it('an unknown counter has a hint', async () => {
    expect(JSON.parse((await get('/counters?key=nonsense')).text)).toEqual({
      key: 'nonsense',
      counters: [],
      blockedUntil: null,
      hint: 'nothing is counted or blocked under this key; ?domain=D&entry=KEY=VALUE finds the key of a descriptor by the rules',
    })
  })

  it.each(['/debug/pprof', '/debug/pprof/', '/debug/pprof/heap'])('%s answers with the alternatives', async (path) => {
    const { status, text } = await get(path)
    expect(status).toBe(501)
    expect(text).toMatch(/^There are no profiles here: /)
  })
})
