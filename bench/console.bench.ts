/** How much of the console a browser loads: for the first view, for each room, and altogether. */

import { gzipSync } from 'node:zlib'
import { buildConsole, type ConsoleFile } from '../bin/bundle-console.ts'
import { printTable } from './report.ts'

const files = await buildConsole()
const kB = (some: readonly ConsoleFile[], sizeOf: (octets: Uint8Array) => number) =>
  `${(some.reduce((sum, { contents }) => sum + sizeOf(contents), 0) / 1000).toFixed(1)} kB`
const gzipped = (octets: Uint8Array) => gzipSync(octets, { level: 9 }).length

const rows: readonly (readonly [name: string, some: readonly ConsoleFile[], aim: string])[] = [
  ['the first view', files.filter(({ isFirst }) => isFirst), '40 kB'],
  ['style sheet', files.filter(({ name }) => name.endsWith('.css')), ''],
  ['everything', files, '70 kB'],
]

printTable(
  ['what', 'files', 'minified', 'gzipped', 'aim'],
  rows.map(([name, some, aim]) => [
    name,
    String(some.length),
    kB(some, (octets) => octets.length),
    kB(some, gzipped),
    aim,
  ]),
)
