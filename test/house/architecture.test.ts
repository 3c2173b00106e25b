import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { sources } from './source.ts'

const page = readFileSync(join(projectRoot, 'docs/architecture.md'), 'utf8')
const wrangler = readFileSync(join(projectRoot, 'wrangler.toml'), 'utf8')

/** The folders whose files the page leads to. */
const product = ['src', 'proto-json', 'durable-objects', 'workers', 'bin', 'console']

/** The declaration that makes a file the answer to its question. */
const answers: Readonly<Record<string, string>> = {
  'Which rule does a descriptor match?': 'export function matchAll',
  'What does a configuration file mean, and which of its mistakes is reported?': 'export function compileFiles',
  'How is a hit counted in a window?': 'export function addHits',
  'How does a sliding window or a token bucket count?': 'function countHit(',
  'When does a window of fixed length begin and end?': 'export function windowStart',
  'When does a day, a week or a month of a time zone begin?': 'export function calendarSpan',
  'How does a request count in all of its limits or in none (`charge: all_or_nothing`)?':
    'export async function countTogether',
  'How is a reservation opened and settled?': 'export function settleReservation',
  'Where is a value found in an allow or deny list?': 'export function applyLists',
  'How large is a lease?': 'export function leaseSize',
  "What is the text of a counter's key?": 'export function counterKey',
  'Which status code does an error of the rate limiter get?': 'status',
  'Which settings does the rate limiter know?': 'export const settingTable',
  'What does Redis get for a hit?': 'export function hitCommands',
  'What does memcached get for a hit?': 'export function planIncrease',
  'In which order are counters of memcached read, increased and added?': 'async #increase(',
  'In which order does a step of the simulation go?': 'export function step',
  'How is the power flow solved?': 'export function solvePowerFlow',
  'What does an attack do to a message?': 'export type Alteration',
  'Which attacks exist?': 'export const attacks',
  'Which detectors exist, and what do they test?': 'export const detectors',
  'How is the state estimated?': 'export function estimateState',
  'Which routes has the simulation?': 'export const routes',
  'How is a transaction signed?': 'export async function signTransaction',
  'Which operations has the network?': 'export const catalogue',
  'How does a market match orders?': 'export function match',
  'What may a token of the gateway do?': 'scopes',
  'What happens at `npm start`?': 'parseStartOptions',
  'Which headers does a decision carry?': 'export function respond',
  'Which units may a limit have?': 'export function parseUnit',
  'How is a GOOSE frame encoded?': 'export function encodeGoose',
  'How is a STIX bundle built?': 'export function encodeStix',
  'How does an event reach a SIEM?': 'export function formatCef',
  'How does an event reach a listener of the grid?': 'export function createListeners',
  "Where is the grid's token checked?": 'GRID_TOKEN',
  'What may a trainee ask for, and which answer shows less of the truth?': "order('trainee', ",
  "What is wrong in a scenario's file?": 'export function checkScenario',
  'How is a MATPOWER case read?': 'export function readMatpower',
  'How are alerts of Suricata and Zeek read for a score?': 'export function* readAlerts',
  'When does a tap changer move?': 'export function stepTapChangers',
  'Where does a master from outside reach the simulation?': 'export function startFieldFront',
  'Where is a bearer token compared?': 'export function isSameText',
  'Where is a foreign `Host` refused?': 'export function createHostCheck',
  'What does a transfer over a bridge cost?': 'export function transferFee',
  'How is an index computed?': 'export function composedIndex',
  'How does a write stay idempotent?': 'export function openWriteTable',
  'How are quota assignments shared out?': 'export function divide',
  'How does the console receive live events?': 'export function useLive',
  'Where is the OpenAPI document of the grid built?': 'export function describeApi',
  'What does the global shadow mode change?': 'SHADOW_MODE',
  'Which statistics does the rate limiter count?': 'export const serviceStats',
  'Which exports has a simulation?': 'export type ExportKind',
  'How does the client insert many records?': 'export async function stepBulk',
  'How does the client check an attestation?': 'export function verifyAttestationSignature',
  'How many requests may a caller without a token make?': 'export function createRequestRate',
  'Which commands has `sluice`?': 'export const commands',
  'How are rules of a control plane taken or refused?': 'export async function followControlPlane',
  'Which text does a sign-in at a gateway sign?': 'export function signInMessage',
  "What does an order book say of a market's value?": 'export function forecastFromDepth',
  'In which order are the values of a phasor stream (CFG-2)?': 'export function streamConfigurations',
  'When may an end of an IEC 60870-5-104 connection send, and what does it acknowledge?': 'export function maySend',
  'What does `Health/Watch` of gRPC send, and when?': 'export async function* watchHealth',
  'What are the defaults of a bulk insertion: chunks, attempts, waits?': 'export const bulkDefaults',
  'How does the development node answer `get_record`?': 'export function readRecords',
  "Which bridges' tokens may a market take as collateral?": 'export function tokenOf',
  'How does the console show the payload of a transaction?': 'export function PayloadView',
  'What does `npm pack` build first?': 'buildClients',
}

describe('docs/architecture.md', () => {
  it('names every class of wrangler.toml, and no other', () => {
    const classes = new Set([...wrangler.matchAll(/class_name = "(\w+)"/g)].map(([, name]) => name))
    const named = new Set(
      [...page.matchAll(/^\| (`\w+Object`(?:, `\w+Object`)*) \|/gm)].flatMap(([, cell = '']) =>
        cell.split(', ').map((name) => name.slice(1, -1)),
      ),
    )
    expect([...named].sort()).toEqual([...classes].sort())
  })

  it('names every room of the product', () => {
    const rooms = [...page.matchAll(/^\| (`[\w/-]+`(?:, `[\w/-]+`)*) \|/gm)].flatMap(([, cell = '']) =>
      cell.split(', ').map((name) => name.slice(1, -1)),
    )
    const folders = new Set(sources(...product).map(({ path }) => dirname(path)))
    // Parts of a room need no row, but for those of `src`.
    const unnamed = [...folders].filter(
      (folder) => /^(?:src\/[\w-]+|[\w-]+)\/[\w-]+$/.test(folder) && !rooms.includes(folder),
    )
    expect(unnamed).toEqual([])
  })

  it('prints only paths that exist', () => {
    const path = /(?<![\w./-])(?:src|proto-json|durable-objects|workers|bin|console|test|docs|soak|bench)\/[\w./-]*\w/g
    const printed = [...new Set(page.match(path))]
    expect(printed.length).toBeGreaterThan(60)
    expect(printed.filter((each) => !existsSync(join(projectRoot, each)))).toEqual([])
  })

  it('answers its questions with the file that declares the answer', () => {
    const rows = [...page.matchAll(/^\| ([^|]+\?) \| `([^`]+)` \|$/gm)]
    expect(rows.map(([, question]) => question)).toEqual(Object.keys(answers))
    const wrong = rows.filter(([, question = '', file = '']) => {
      const text = readFileSync(join(projectRoot, file), 'utf8')
      return !text.includes(answers[question] ?? '?')
    })
    expect(wrong.map(([, question]) => question)).toEqual([])
  })
})

describe('folders', () => {
  it('hold thirty files at most, and src/grid ten', () => {
    const counts = new Map<string, number>()
    for (const { path } of sources(...product)) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
    expect([...counts].filter(([, count]) => count > 30)).toEqual([])
    const top = readdirSync(join(projectRoot, 'src/grid')).filter((name) => name.endsWith('.ts'))
    expect(top.length).toBeLessThanOrEqual(10)
  })
})
