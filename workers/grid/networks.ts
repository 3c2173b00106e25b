/** The stored networks of a deployment: imported, listed, exported, deleted, and copied into the sessions that use them. */

import { isRecord } from '#base/json.ts'
import { encodeUtf8 } from '#base/utf8.ts'
import type { Configuration } from '#grid/configuration.ts'
import type { StoredNetwork } from '#grid/contract/network.ts'
import { GridError } from '#grid/errors.ts'
import { importCase } from '#grid/import/import-case.ts'
import { readFrequency } from '#grid/import/read-grid.ts'
import { findFormat } from '#grid/import/write-case.ts'
import { bodyLimits, networkBounds, simulationName } from '#grid/interface/request-bounds.ts'
import type { ConfigurationRequest } from '#grid/interface/requests.ts'
import type { CaseTables } from '#grid/network/case-tables.ts'
import { isCaseName } from '#grid/network/cases/catalogue.ts'
import { namesNetwork } from '#grid/scenario/session.ts'
import { answerInSlices } from '#objects/base/result.ts'
import type { GridEnv } from '#objects/grid/env.ts'
import { readText } from '../edge/body.ts'
import { type Call, openDirectory, query, unwrap } from './call.ts'
import { lastWordOf } from './paths.ts'
import { json, jsonText } from './problems.ts'

/** `GET /networks`: every stored network, by name. */
export async function listNetworks({ env }: Call): Promise<Response> {
  const networks = await openDirectory(env).listNetworks()
  return json({ count: networks.length, maximum: networkBounds.count, networks })
}

/** `GET /networks/NAME?format=`: a network as its tables, or as a file of another program. */
export async function showNetwork({ env, url }: Call): Promise<Response> {
  const { write, type } = findFormat(query(url, 'format') ?? 'tables')
  const tables = await readTables(env, nameOf(url))
  return jsonText(write(tables), 200, { 'content-type': `${type}; charset=utf-8` })
}

/** `PUT /networks/NAME`: imports a file in slices, in this isolate; sessions keep the network that they began with. */
export async function storeNetwork({ env, url, request }: Call): Promise<Response> {
  const name = nameOf(url)
  if (isCaseName(name)) {
    throw new GridError('invalid_request', `Cannot store network "${name}": a built-in one has the name`)
  }
  const f0Hz = readFrequency(query(url, 'frequency') ?? '60')
  const body = await readText(request, bodyLimits.network)
  if ('fault' in body) {
    const isLong = body.fault === 'too_large'
    const fault = isLong ? `it is longer than ${bodyLimits.network} bytes` : 'the body is not UTF-8'
    throw new GridError(isLong ? 'request_too_large' : 'invalid_request', `Cannot import case: ${fault}`)
  }
  const { tables, warnings } = unwrap(await answerInSlices(importCase(body.text, { name, f0Hz })))
  const text = JSON.stringify(tables)
  const stored: StoredNetwork = {
    name,
    title: tables.title,
    buses: tables.buses.length,
    branches: tables.branches.length,
    generators: tables.generators.length,
    bytes: encodeUtf8(text).length,
    created: Date.now() / 1000,
  }
  unwrap(await openDirectory(env).putNetwork(stored, text))
  return json({ ...stored, warnings })
}

/** `DELETE /networks/NAME`; sessions that use it go on. */
export async function deleteNetwork({ env, url }: Call): Promise<Response> {
  const name = nameOf(url)
  if (!(await openDirectory(env).removeNetwork(name))) await readTables(env, name)
  return json({ deleted: name })
}

/**
 * Replaces the name of a stored network in a change of the configuration by its tables.
 *
 * @throws GridError not_found when no network has the name; the message names the nearest one.
 */
export async function withNetwork(
  env: GridEnv,
  { network: name, ...change }: ConfigurationRequest,
): Promise<Partial<Configuration>> {
  return name === undefined ? change : { ...change, case: name, network: await readTables(env, name) }
}

/** Puts the tables of a stored network into the scenario of a body that names it. */
export async function withTables(env: GridEnv, body: unknown): Promise<unknown> {
  if (!isRecord(body) || !namesNetwork(body.scenario) || !simulationName.test(body.scenario.network)) return body
  const { scenario } = body
  return { ...body, scenario: { ...scenario, tables: await readTables(env, scenario.network) } }
}

async function readTables(env: GridEnv, name: string): Promise<CaseTables> {
  const found = await openDirectory(env).readNetwork(name)
  if ('body' in found) return JSON.parse(found.body) as CaseTables // only storeNetwork writes it
  const meant = found.nearest === undefined ? '' : `Did you mean "${found.nearest}"? `
  throw new GridError('not_found', `Not found: there is no network "${name}"`, {
    hint: `${meant}GET /api/v1/networks lists them; PUT /api/v1/networks/${name} stores a case file`,
  })
}

/** The name in a path; percent signs are in none. */
function nameOf(url: URL): string {
  const name = lastWordOf(url)
  if (simulationName.test(name)) return name
  throw new GridError('invalid_request', `Cannot find network "${name.slice(0, 64)}": it is not the name of one`, {
    hint: 'A name is 1 to 63 of a-z, 0-9 and -, with a letter or digit at either end',
  })
}
